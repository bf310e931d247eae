/* Built by tracec of fields.trc. */
#ifndef TRACEC_fields_H
#define TRACEC_fields_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What every header that tracec writes needs: one copy, whatever number of them is included. */
#ifndef TRACEC_RECORDS_1
#define TRACEC_RECORDS_1

/* Integers of a record, which may lie at any address. */
typedef uint8_t tracec_u8 __attribute__((may_alias));
typedef int8_t tracec_s8 __attribute__((may_alias));
typedef uint16_t tracec_u16 __attribute__((aligned(1), may_alias));
typedef int16_t tracec_s16 __attribute__((aligned(1), may_alias));
typedef uint32_t tracec_u32 __attribute__((aligned(1), may_alias));
typedef int32_t tracec_s32 __attribute__((aligned(1), may_alias));
typedef uint64_t tracec_u64 __attribute__((aligned(1), may_alias));
typedef int64_t tracec_s64 __attribute__((aligned(1), may_alias));

/* Bytes of a record; `at` is NULL where they lie outside of it. */
struct tracec_bytes {
	const char *at;
	size_t size;
};

/* Reads an unsigned integer; false where it lies outside of the record. */
static inline bool tracec_read(const void *data, size_t size, size_t offset, size_t bytes, uint64_t *value)
{
	const char *at;
	uint16_t two;
	uint32_t four;

	if (size < offset || size - offset < bytes)
		return false;
	at = (const char *)data + offset;
	switch (bytes) {
	case 1:
		*value = *(const unsigned char *)at;
		return true;
	case 2:
		memcpy(&two, at, sizeof(two));
		*value = two;
		return true;
	case 4:
		memcpy(&four, at, sizeof(four));
		*value = four;
		return true;
	case 8:
		memcpy(value, at, sizeof(*value));
		return true;
	default:
		return false;
	}
}

/* Bytes of the fixed part; of size 0, the rest of the record. */
static inline struct tracec_bytes tracec_fixed(const void *data, size_t size, size_t offset, size_t bytes)
{
	struct tracec_bytes found = { NULL, 0 };

	if (size < offset || size - offset < bytes)
		return found;
	found.at = (const char *)data + offset;
	found.size = bytes ? bytes : size - offset;
	return found;
}

/* The bytes that a location word refers to: its low half is their offset, its high half their length. */
static inline struct tracec_bytes tracec_located(const void *data, size_t size, size_t word, bool relative)
{
	struct tracec_bytes found = { NULL, 0 };
	uint64_t location;
	size_t offset, bytes;

	if (!tracec_read(data, size, word, 4, &location))
		return found;
	offset = (size_t)(location & 0xffff) + (relative ? word + 4 : 0);
	bytes = (size_t)(location >> 16);
	if (bytes && (size < offset || size - offset < bytes))
		return found;
	found.at = bytes ? (const char *)data + offset : (const char *)data;
	found.size = bytes;
	return found;
}

/* The bytes in front of the first NUL. */
static inline struct tracec_bytes tracec_text(struct tracec_bytes bytes)
{
	const char *nul = bytes.size ? (const char *)memchr(bytes.at, 0, bytes.size) : NULL;

	if (nul)
		bytes.size = (size_t)(nul - bytes.at);
	return bytes;
}

/* The name of a task, of at most 15 bytes, up to its NUL. */
static inline struct tracec_bytes tracec_comm(const char *comm)
{
	struct tracec_bytes found = { comm, 0 };

	while (comm && found.size < 15 && comm[found.size])
		found.size++;
	return found;
}

static inline bool tracec_equal(struct tracec_bytes text, const char *other, size_t size)
{
	return text.size == size && (!size || !memcmp(text.at, other, size));
}

/*
 * Whether a byte is in the class that a pattern has at `*at`, behind its `[`. Moves `*at` behind the `]`; each class
 * of a pattern has one.
 */
static inline bool tracec_class(const char *pattern, size_t *at, unsigned char byte)
{
	bool inverted = pattern[*at] == '!';
	bool found = false;
	size_t first = *at += inverted;

	while (*at == first || pattern[*at] != ']') {
		unsigned char low = (unsigned char)pattern[(*at)++];
		unsigned char high = low;

		if (pattern[*at] == '-' && pattern[*at + 1] != ']') {
			high = (unsigned char)pattern[*at + 1];
			*at += 2;
		}
		found |= low <= byte && byte <= high;
	}
	++*at;
	return found != inverted;
}

/* Whether what a pattern has at `*at`, which is not a star, takes a byte. Moves `*at` behind it. */
static inline bool tracec_takes(const char *pattern, size_t *at, unsigned char byte)
{
	switch (pattern[*at]) {
	case '?':
		++*at;
		return true;
	case '[':
		++*at;
		return tracec_class(pattern, at, byte);
	case '\\':
		*at += 2;
		return (unsigned char)pattern[*at - 1] == byte;
	default:
		++*at;
		return (unsigned char)pattern[*at - 1] == byte;
	}
}

/*
 * Whether a pattern matches a whole text: `*` is any run of bytes, `?` one byte, `[a-z]` and `[!a-z]` one byte of a
 * class, `\c` the byte c.
 */
static inline bool tracec_matches(struct tracec_bytes text, const char *pattern, size_t size)
{
	size_t at = 0, byte = 0, resume = 0, from = 0;
	bool starred = false;

	for (;;) {
		if (at < size && pattern[at] == '*') {
			starred = true;
			resume = ++at;
			from = byte;
			continue;
		}
		if (at < size && byte < text.size) {
			size_t next = at;

			if (tracec_takes(pattern, &next, (unsigned char)text.at[byte])) {
				at = next;
				byte++;
				continue;
			}
		} else if (at == size && byte == text.size) {
			return true;
		}
		/* An earlier star cannot give a better match than the last one. */
		if (!starred || from >= text.size)
			return false;
		at = resume;
		byte = ++from;
	}
}

/* Whether a set of CPUs, in words of 64 bits, has one. */
static inline bool tracec_has(struct tracec_bytes mask, uint64_t cpu)
{
	uint64_t byte = cpu / 8;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	byte ^= 7;
#endif
	return byte < mask.size && ((unsigned char)mask.at[byte] >> (cpu % 8) & 1);
}

/* Whether a CPU is in one of some ranges, both ends included. */
static inline bool tracec_listed(const uint32_t (*ranges)[2], size_t count, uint64_t cpu)
{
	for (size_t i = 0; i < count; i++) {
		if (ranges[i][0] <= cpu && cpu <= ranges[i][1])
			return true;
	}
	return false;
}

/* Whether a set has one of the listed CPUs. */
static inline bool tracec_any(struct tracec_bytes mask, const uint32_t (*ranges)[2], size_t count)
{
	for (uint64_t cpu = 0; cpu < (uint64_t)mask.size * 8; cpu++) {
		if (tracec_has(mask, cpu) && tracec_listed(ranges, count, cpu))
			return true;
	}
	return false;
}

/* Whether a set has the listed CPUs and no others. */
static inline bool tracec_same(struct tracec_bytes mask, const uint32_t (*ranges)[2], size_t count)
{
	uint64_t missing = 0;

	for (size_t i = 0; i < count; i++)
		missing += (uint64_t)ranges[i][1] - ranges[i][0] + 1;
	for (uint64_t cpu = 0; cpu < (uint64_t)mask.size * 8; cpu++) {
		if (!tracec_has(mask, cpu))
			continue;
		if (!tracec_listed(ranges, count, cpu))
			return false;
		missing--;
	}
	return !missing;
}

/* Divides; false for a divisor of 0. The smallest number by -1 wraps to itself. */
static inline bool tracec_divide(uint64_t a, uint64_t b, bool is_signed, uint64_t *value)
{
	if (!b)
		return false;
	if (!is_signed)
		*value = a / b;
	else if (b == UINT64_MAX)
		*value = 0 - a;
	else
		*value = (uint64_t)((int64_t)a / (int64_t)b);
	return true;
}

/* The remainder; false for a divisor of 0. */
static inline bool tracec_remainder(uint64_t a, uint64_t b, bool is_signed, uint64_t *value)
{
	if (!b)
		return false;
	if (!is_signed)
		*value = a % b;
	else if (b == UINT64_MAX)
		*value = 0;
	else
		*value = (uint64_t)((int64_t)a % (int64_t)b);
	return true;
}

/* Shifts to the left; false for a count other than 0 to 63. */
static inline bool tracec_left(uint64_t a, uint64_t count, uint64_t *value)
{
	if (count > 63)
		return false;
	*value = a << count;
	return true;
}

/* Shifts to the right; false for a count other than 0 to 63. gcc and clang copy the sign of a negative number. */
static inline bool tracec_right(uint64_t a, uint64_t count, bool is_signed, uint64_t *value)
{
	if (count > 63)
		return false;
	*value = is_signed ? (uint64_t)((int64_t)a >> count) : a >> count;
	return true;
}

/* Orders a signed and an unsigned number: below 0, 0 or above 0. */
static inline int tracec_order(uint64_t is_signed, uint64_t is_unsigned)
{
	if ((int64_t)is_signed < 0 || is_signed < is_unsigned)
		return -1;
	return is_signed > is_unsigned;
}

#endif

#define fields_Bits_A ((uint64_t)UINT64_C(1))
#define fields_Bits_AB ((uint64_t)UINT64_C(3))
#define fields_Bits_TOP ((uint64_t)UINT64_C(9223372036854775808))

/* The name of the first flag that is set, which is cleared; NULL if none of those that are left has one. */
static inline const char *fields_Bits_next(uint64_t *value)
{
	if ((*value & (uint64_t)UINT64_C(1)) == (uint64_t)UINT64_C(1)) {
		*value = (uint64_t)(*value & ~(uint64_t)UINT64_C(1));
		return "A";
	}
	if ((*value & (uint64_t)UINT64_C(3)) == (uint64_t)UINT64_C(3)) {
		*value = (uint64_t)(*value & ~(uint64_t)UINT64_C(3));
		return "AB";
	}
	if ((*value & (uint64_t)UINT64_C(9223372036854775808)) == (uint64_t)UINT64_C(9223372036854775808)) {
		*value = (uint64_t)(*value & ~(uint64_t)UINT64_C(9223372036854775808));
		return "TOP";
	}
	return NULL;
}

#define fields_Odd_Quote ((int8_t)-1)
#define fields_Odd_Line ((int8_t)1)
#define fields_Odd_Far ((int8_t)2)
#define fields_Odd_Twice ((int8_t)2)

/* The name of a value; NULL for one without a name. */
static inline const char *fields_Odd_name(int8_t value)
{
	switch (value) {
	case -1:
		return "a \"b\" %d\?\?/ \\";
	case 1:
		return "two\012lines";
	case 2:
		return "\303\251\342\200\256";
	default:
		return NULL;
	}
}

/* The name of a value; NULL for one without a name. */
static inline const char *irq_softirq_entry_vec_name(uint32_t value)
{
	switch (value) {
	case 0U:
		return "HI";
	case 1U:
		return "TIMER";
	case 2U:
		return "NET_TX";
	case 3U:
		return "NET_RX";
	case 4U:
		return "BLOCK";
	case 5U:
		return "IRQ_POLL";
	case 6U:
		return "TASKLET";
	case 7U:
		return "SCHED";
	case 8U:
		return "HRTIMER";
	case 9U:
		return "RCU";
	default:
		return NULL;
	}
}

/* syscalls:sys_enter_openat */
struct syscalls_sys_enter_openat {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_s32 __syscall_nr; /* int __syscall_nr */
	tracec_u8 unused_12[4];
	tracec_u64 dfd; /* int dfd */
	tracec_u64 filename; /* const char * filename */
	tracec_u64 flags; /* int flags */
	tracec_u64 mode; /* umode_t mode */
};

_Static_assert(offsetof(struct syscalls_sys_enter_openat, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct syscalls_sys_enter_openat, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct syscalls_sys_enter_openat, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct syscalls_sys_enter_openat, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct syscalls_sys_enter_openat, __syscall_nr) == 8, "offset of __syscall_nr");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->__syscall_nr) == 4, "size of __syscall_nr");
_Static_assert(offsetof(struct syscalls_sys_enter_openat, dfd) == 16, "offset of dfd");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->dfd) == 8, "size of dfd");
_Static_assert(offsetof(struct syscalls_sys_enter_openat, filename) == 24, "offset of filename");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->filename) == 8, "size of filename");
_Static_assert(offsetof(struct syscalls_sys_enter_openat, flags) == 32, "offset of flags");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->flags) == 8, "size of flags");
_Static_assert(offsetof(struct syscalls_sys_enter_openat, mode) == 40, "offset of mode");
_Static_assert(sizeof(((struct syscalls_sys_enter_openat *)0)->mode) == 8, "size of mode");
_Static_assert(sizeof(struct syscalls_sys_enter_openat) == 48, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/syscalls/sys_enter_openat/id. */
static inline bool syscalls_sys_enter_openat_from(const void *data, size_t size, const struct syscalls_sys_enter_openat **record)
{
	if (size < sizeof(struct syscalls_sys_enter_openat))
		return false;
	*record = (const struct syscalls_sys_enter_openat *)data;
	return true;
}

/* The argument as the system call takes it, of the register that is recorded. */
static inline int32_t syscalls_sys_enter_openat_dfd(const struct syscalls_sys_enter_openat *record)
{
	return (int32_t)record->dfd;
}

/* The argument as the system call takes it, of the register that is recorded. */
static inline int32_t syscalls_sys_enter_openat_flags(const struct syscalls_sys_enter_openat *record)
{
	return (int32_t)record->flags;
}

/* The argument as the system call takes it, of the register that is recorded. */
static inline uint16_t syscalls_sys_enter_openat_mode(const struct syscalls_sys_enter_openat *record)
{
	return (uint16_t)record->mode;
}

/* dfd == -100 */
static inline bool match_syscalls_sys_enter_openat_test_1(const void *data, size_t size)
{
	uint64_t n0 = 0;

	if (!tracec_read(data, size, 16, 8, &n0))
		return false;
	n0 = (uint64_t)(int64_t)(int32_t)n0;
	return (int64_t)n0 == INT64_C(-100);
}

/* flags & 64 == 64 */
static inline bool match_syscalls_sys_enter_openat_test_2(const void *data, size_t size)
{
	uint64_t n0 = 0;

	if (!tracec_read(data, size, 32, 8, &n0))
		return false;
	n0 = (uint64_t)(int64_t)(int32_t)n0;
	const uint64_t n2 = n0 & UINT64_C(64);
	return (int64_t)n2 == INT64_C(64);
}

/* mode in {0, 256..=511} */
static inline bool match_syscalls_sys_enter_openat_test_3(const void *data, size_t size)
{
	uint64_t n0 = 0;

	if (!tracec_read(data, size, 40, 8, &n0))
		return false;
	n0 = (uint64_t)(uint16_t)n0;
	if (n0 == UINT64_C(0))
		return true;
	if (n0 >= UINT64_C(256) && n0 <= UINT64_C(511))
		return true;
	return false;
}

/* Whether the session `match` records it: dfd == -100 && flags & 64 == 64 && mode in {0, 256..=511} */
static inline bool match_syscalls_sys_enter_openat_matches(const void *data, size_t size)
{
	return match_syscalls_sys_enter_openat_test_1(data, size) && match_syscalls_sys_enter_openat_test_2(data, size) && match_syscalls_sys_enter_openat_test_3(data, size);
}

/* sched:sched_process_exec */
struct sched_sched_process_exec {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_u32 filename; /* __data_loc char[] filename */
	tracec_s32 pid; /* pid_t pid */
	tracec_s32 old_pid; /* pid_t old_pid */
};

_Static_assert(offsetof(struct sched_sched_process_exec, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct sched_sched_process_exec *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct sched_sched_process_exec, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct sched_sched_process_exec *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct sched_sched_process_exec, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct sched_sched_process_exec *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct sched_sched_process_exec, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct sched_sched_process_exec *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct sched_sched_process_exec, filename) == 8, "offset of filename");
_Static_assert(sizeof(((struct sched_sched_process_exec *)0)->filename) == 4, "size of filename");
_Static_assert(offsetof(struct sched_sched_process_exec, pid) == 12, "offset of pid");
_Static_assert(sizeof(((struct sched_sched_process_exec *)0)->pid) == 4, "size of pid");
_Static_assert(offsetof(struct sched_sched_process_exec, old_pid) == 16, "offset of old_pid");
_Static_assert(sizeof(((struct sched_sched_process_exec *)0)->old_pid) == 4, "size of old_pid");
_Static_assert(sizeof(struct sched_sched_process_exec) == 20, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/sched/sched_process_exec/id. */
static inline bool sched_sched_process_exec_from(const void *data, size_t size, const struct sched_sched_process_exec **record)
{
	if (size < sizeof(struct sched_sched_process_exec))
		return false;
	*record = (const struct sched_sched_process_exec *)data;
	return true;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *sched_sched_process_exec_filename(const struct sched_sched_process_exec *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_located(record, size, 8, false));

	*length = found.size;
	return found.at;
}

/* filename == "a\x5c"b%s\x5cn\x5c\x5cé??/" */
static inline bool match_sched_sched_process_exec_test_1(const void *data, size_t size)
{
	struct tracec_bytes text = tracec_text(tracec_located(data, size, 8, false));

	return text.at && tracec_equal(text, "a\"b%s\012\\\303\251\?\?/", 12);
}

/* filename ~ "/[!a-c]*\x5c\x5c**" */
static inline bool match_sched_sched_process_exec_test_2(const void *data, size_t size)
{
	struct tracec_bytes text = tracec_text(tracec_located(data, size, 8, false));

	return text.at && tracec_matches(text, "/[!a-c]*\\**", 11);
}

/* Whether the session `match` records it: filename == "a\x5c"b%s\x5cn\x5c\x5cé??/" || filename ~ "/[!a-c]*\x5c\x5c**" */
static inline bool match_sched_sched_process_exec_matches(const void *data, size_t size)
{
	return match_sched_sched_process_exec_test_1(data, size) || match_sched_sched_process_exec_test_2(data, size);
}

/* irq:softirq_entry */
struct irq_softirq_entry {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_u32 vec; /* unsigned int vec */
};

_Static_assert(offsetof(struct irq_softirq_entry, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct irq_softirq_entry *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct irq_softirq_entry, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct irq_softirq_entry *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct irq_softirq_entry, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct irq_softirq_entry *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct irq_softirq_entry, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct irq_softirq_entry *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct irq_softirq_entry, vec) == 8, "offset of vec");
_Static_assert(sizeof(((struct irq_softirq_entry *)0)->vec) == 4, "size of vec");
_Static_assert(sizeof(struct irq_softirq_entry) == 12, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/irq/softirq_entry/id. */
static inline bool irq_softirq_entry_from(const void *data, size_t size, const struct irq_softirq_entry **record)
{
	if (size < sizeof(struct irq_softirq_entry))
		return false;
	*record = (const struct irq_softirq_entry *)data;
	return true;
}

/* vec != 1 */
static inline bool match_irq_softirq_entry_test_1(const void *data, size_t size)
{
	uint64_t n0 = 0;

	if (!tracec_read(data, size, 8, 4, &n0))
		return false;
	return n0 != UINT64_C(1);
}

/* Whether the session `match` records it: vec != 1 */
static inline bool match_irq_softirq_entry_matches(const void *data, size_t size)
{
	return match_irq_softirq_entry_test_1(data, size);
}

/* ipi:ipi_send_cpumask */
struct ipi_ipi_send_cpumask {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_u32 cpumask; /* __data_loc cpumask_t cpumask */
	tracec_u8 unused_12[4];
	tracec_u64 callsite; /* void * callsite */
	tracec_u64 callback; /* void * callback */
};

_Static_assert(offsetof(struct ipi_ipi_send_cpumask, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct ipi_ipi_send_cpumask *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct ipi_ipi_send_cpumask, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct ipi_ipi_send_cpumask *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct ipi_ipi_send_cpumask, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct ipi_ipi_send_cpumask *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct ipi_ipi_send_cpumask, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct ipi_ipi_send_cpumask *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct ipi_ipi_send_cpumask, cpumask) == 8, "offset of cpumask");
_Static_assert(sizeof(((struct ipi_ipi_send_cpumask *)0)->cpumask) == 4, "size of cpumask");
_Static_assert(offsetof(struct ipi_ipi_send_cpumask, callsite) == 16, "offset of callsite");
_Static_assert(sizeof(((struct ipi_ipi_send_cpumask *)0)->callsite) == 8, "size of callsite");
_Static_assert(offsetof(struct ipi_ipi_send_cpumask, callback) == 24, "offset of callback");
_Static_assert(sizeof(((struct ipi_ipi_send_cpumask *)0)->callback) == 8, "size of callback");
_Static_assert(sizeof(struct ipi_ipi_send_cpumask) == 32, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/ipi/ipi_send_cpumask/id. */
static inline bool ipi_ipi_send_cpumask_from(const void *data, size_t size, const struct ipi_ipi_send_cpumask **record)
{
	if (size < sizeof(struct ipi_ipi_send_cpumask))
		return false;
	*record = (const struct ipi_ipi_send_cpumask *)data;
	return true;
}

/* The bytes. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *ipi_ipi_send_cpumask_cpumask(const struct ipi_ipi_send_cpumask *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_located(record, size, 8, false);

	*length = found.size;
	return found.at;
}

/* Whether a CPU is in the set; false where the set lies outside of the record of so many bytes. */
static inline bool ipi_ipi_send_cpumask_cpumask_has(const struct ipi_ipi_send_cpumask *record, size_t size, unsigned int cpu)
{
	return tracec_has(tracec_located(record, size, 8, false), cpu);
}

/* cpumask == CPUS{0-3,7} */
static inline bool match_ipi_ipi_send_cpumask_test_1(const void *data, size_t size)
{
	static const uint32_t cpus[][2] = { { 0, 3 }, { 7, 7 } };
	struct tracec_bytes mask = tracec_located(data, size, 8, false);

	return mask.at && tracec_same(mask, cpus, 2);
}

/* Whether the session `match` records it: cpumask == CPUS{0-3,7} */
static inline bool match_ipi_ipi_send_cpumask_matches(const void *data, size_t size)
{
	return match_ipi_ipi_send_cpumask_test_1(data, size);
}

/* sched:sched_switch */
struct sched_sched_switch {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	char prev_comm[16]; /* char[16] prev_comm */
	tracec_s32 prev_pid; /* pid_t prev_pid */
	tracec_s32 prev_prio; /* int prev_prio */
	tracec_s64 prev_state; /* long prev_state */
	char next_comm[16]; /* char[16] next_comm */
	tracec_s32 next_pid; /* pid_t next_pid */
	tracec_s32 next_prio; /* int next_prio */
};

_Static_assert(offsetof(struct sched_sched_switch, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct sched_sched_switch, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct sched_sched_switch, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct sched_sched_switch, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct sched_sched_switch, prev_comm) == 8, "offset of prev_comm");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->prev_comm) == 16, "size of prev_comm");
_Static_assert(offsetof(struct sched_sched_switch, prev_pid) == 24, "offset of prev_pid");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->prev_pid) == 4, "size of prev_pid");
_Static_assert(offsetof(struct sched_sched_switch, prev_prio) == 28, "offset of prev_prio");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->prev_prio) == 4, "size of prev_prio");
_Static_assert(offsetof(struct sched_sched_switch, prev_state) == 32, "offset of prev_state");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->prev_state) == 8, "size of prev_state");
_Static_assert(offsetof(struct sched_sched_switch, next_comm) == 40, "offset of next_comm");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->next_comm) == 16, "size of next_comm");
_Static_assert(offsetof(struct sched_sched_switch, next_pid) == 56, "offset of next_pid");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->next_pid) == 4, "size of next_pid");
_Static_assert(offsetof(struct sched_sched_switch, next_prio) == 60, "offset of next_prio");
_Static_assert(sizeof(((struct sched_sched_switch *)0)->next_prio) == 4, "size of next_prio");
_Static_assert(sizeof(struct sched_sched_switch) == 64, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/sched/sched_switch/id. */
static inline bool sched_sched_switch_from(const void *data, size_t size, const struct sched_sched_switch **record)
{
	if (size < sizeof(struct sched_sched_switch))
		return false;
	*record = (const struct sched_sched_switch *)data;
	return true;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *sched_sched_switch_prev_comm(const struct sched_sched_switch *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_fixed(record, size, 8, 16));

	*length = found.size;
	return found.at;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *sched_sched_switch_next_comm(const struct sched_sched_switch *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_fixed(record, size, 40, 16));

	*length = found.size;
	return found.at;
}

/* current.cpu <= 3 */
static inline bool match_sched_sched_switch_test_1(const void *data, size_t size, uint32_t cpu)
{
	(void)data;
	(void)size;
	const uint64_t n0 = cpu;
	return n0 <= UINT64_C(3);
}

/* prev_prio / next_prio > 1 */
static inline bool match_sched_sched_switch_test_2(const void *data, size_t size)
{
	uint64_t n0 = 0;

	if (!tracec_read(data, size, 28, 4, &n0))
		return false;
	n0 = (uint64_t)(int64_t)(int32_t)n0;
	uint64_t n1 = 0;

	if (!tracec_read(data, size, 60, 4, &n1))
		return false;
	n1 = (uint64_t)(int64_t)(int32_t)n1;
	uint64_t n2 = 0;

	if (!tracec_divide(n0, n1, true, &n2))
		return false;
	return (int64_t)n2 > INT64_C(1);
}

/* prev_pid as u8 != 0 */
static inline bool match_sched_sched_switch_test_3(const void *data, size_t size)
{
	uint64_t n0 = 0;

	if (!tracec_read(data, size, 24, 4, &n0))
		return false;
	n0 = (uint64_t)(int64_t)(int32_t)n0;
	const uint64_t n1 = (uint64_t)(uint8_t)n0;
	if (n1 >= UINT64_C(1))
		return true;
	return false;
}

/* Whether the session `match` records it: current.cpu <= 3 && prev_prio / next_prio > 1 && prev_pid as u8 != 0 */
static inline bool match_sched_sched_switch_matches(const void *data, size_t size, uint32_t cpu)
{
	return match_sched_sched_switch_test_1(data, size, cpu) && match_sched_sched_switch_test_2(data, size) && match_sched_sched_switch_test_3(data, size);
}

/* fields:every */
struct fields_every {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_u8 self; /* u8 self */
	tracec_u8 unused_9[7];
	tracec_s64 fn; /* s64 fn */
	tracec_u16 crate; /* u16 crate */
	tracec_u8 unused_26[2];
	tracec_u32 type; /* u32 type */
	tracec_u32 errno_; /* u32 errno */
	tracec_s8 odd; /* s8 odd */
	tracec_u8 unused_37[3];
	tracec_u64 bits; /* u64 bits */
	tracec_u32 text; /* __data_loc char[] text */
	char fixed[16]; /* char[16] fixed */
	tracec_u8 hardware[6]; /* u8[6] hardware */
	tracec_u8 unused_74[2];
	tracec_u32 words[3]; /* u32[3] words */
	tracec_u32 many; /* __data_loc u16[] many */
	tracec_u32 cpus; /* __data_loc cpumask_t cpus */
};

_Static_assert(offsetof(struct fields_every, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct fields_every *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct fields_every, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct fields_every *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct fields_every, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct fields_every *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct fields_every, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct fields_every *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct fields_every, self) == 8, "offset of self");
_Static_assert(sizeof(((struct fields_every *)0)->self) == 1, "size of self");
_Static_assert(offsetof(struct fields_every, fn) == 16, "offset of fn");
_Static_assert(sizeof(((struct fields_every *)0)->fn) == 8, "size of fn");
_Static_assert(offsetof(struct fields_every, crate) == 24, "offset of crate");
_Static_assert(sizeof(((struct fields_every *)0)->crate) == 2, "size of crate");
_Static_assert(offsetof(struct fields_every, type) == 28, "offset of type");
_Static_assert(sizeof(((struct fields_every *)0)->type) == 4, "size of type");
_Static_assert(offsetof(struct fields_every, errno_) == 32, "offset of errno_");
_Static_assert(sizeof(((struct fields_every *)0)->errno_) == 4, "size of errno_");
_Static_assert(offsetof(struct fields_every, odd) == 36, "offset of odd");
_Static_assert(sizeof(((struct fields_every *)0)->odd) == 1, "size of odd");
_Static_assert(offsetof(struct fields_every, bits) == 40, "offset of bits");
_Static_assert(sizeof(((struct fields_every *)0)->bits) == 8, "size of bits");
_Static_assert(offsetof(struct fields_every, text) == 48, "offset of text");
_Static_assert(sizeof(((struct fields_every *)0)->text) == 4, "size of text");
_Static_assert(offsetof(struct fields_every, fixed) == 52, "offset of fixed");
_Static_assert(sizeof(((struct fields_every *)0)->fixed) == 16, "size of fixed");
_Static_assert(offsetof(struct fields_every, hardware) == 68, "offset of hardware");
_Static_assert(sizeof(((struct fields_every *)0)->hardware) == 6, "size of hardware");
_Static_assert(offsetof(struct fields_every, words) == 76, "offset of words");
_Static_assert(sizeof(((struct fields_every *)0)->words) == 12, "size of words");
_Static_assert(offsetof(struct fields_every, many) == 88, "offset of many");
_Static_assert(sizeof(((struct fields_every *)0)->many) == 4, "size of many");
_Static_assert(offsetof(struct fields_every, cpus) == 92, "offset of cpus");
_Static_assert(sizeof(((struct fields_every *)0)->cpus) == 4, "size of cpus");
_Static_assert(sizeof(struct fields_every) == 96, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/fields/every/id. */
static inline bool fields_every_from(const void *data, size_t size, const struct fields_every **record)
{
	if (size < sizeof(struct fields_every))
		return false;
	*record = (const struct fields_every *)data;
	return true;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *fields_every_text(const struct fields_every *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_located(record, size, 48, false));

	*length = found.size;
	return found.at;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *fields_every_fixed(const struct fields_every *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_fixed(record, size, 52, 16));

	*length = found.size;
	return found.at;
}

/* The bytes. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *fields_every_many(const struct fields_every *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_located(record, size, 88, false);

	*length = found.size;
	return found.at;
}

/* The bytes. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *fields_every_cpus(const struct fields_every *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_located(record, size, 92, false);

	*length = found.size;
	return found.at;
}

/* Whether a CPU is in the set; false where the set lies outside of the record of so many bytes. */
static inline bool fields_every_cpus_has(const struct fields_every *record, size_t size, unsigned int cpu)
{
	return tracec_has(tracec_located(record, size, 92, false), cpu);
}

#endif
