/* Built by tracec of storage.trc. */
#ifndef TRACEC_storage_H
#define TRACEC_storage_H

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

#define storage_Op_READ ((uint32_t)1U)
#define storage_Op_WRITE ((uint32_t)2U)
#define storage_Op_SYNC ((uint32_t)4U)
#define storage_Op_META ((uint32_t)128U)

/* The name of the first flag that is set, which is cleared; NULL if none of those that are left has one. */
static inline const char *storage_Op_next(uint32_t *value)
{
	if ((*value & (uint32_t)1U) == (uint32_t)1U) {
		*value = (uint32_t)(*value & ~(uint32_t)1U);
		return "READ";
	}
	if ((*value & (uint32_t)2U) == (uint32_t)2U) {
		*value = (uint32_t)(*value & ~(uint32_t)2U);
		return "WRITE";
	}
	if ((*value & (uint32_t)4U) == (uint32_t)4U) {
		*value = (uint32_t)(*value & ~(uint32_t)4U);
		return "SYNC";
	}
	if ((*value & (uint32_t)128U) == (uint32_t)128U) {
		*value = (uint32_t)(*value & ~(uint32_t)128U);
		return "M";
	}
	return NULL;
}

#define storage_Status_Ok ((uint8_t)0U)
#define storage_Status_Err ((uint8_t)1U)

/* The name of a value; NULL for one without a name. */
static inline const char *storage_Status_name(uint8_t value)
{
	switch (value) {
	case 0U:
		return "OK";
	case 1U:
		return "ERR";
	default:
		return NULL;
	}
}

/* storage:rq_issue */
struct storage_rq_issue {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_u32 dev; /* dev_t dev */
	tracec_u8 unused_12[4];
	tracec_u64 sector; /* u64 sector */
	tracec_u32 bytes; /* u32 bytes */
	tracec_u8 status; /* u8 status */
	tracec_u8 unused_29[3];
	tracec_u32 op; /* u32 op */
	char comm[16]; /* char[16] comm */
	tracec_u32 name; /* __data_loc char[] name */
};

_Static_assert(offsetof(struct storage_rq_issue, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct storage_rq_issue, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct storage_rq_issue, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct storage_rq_issue, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct storage_rq_issue, dev) == 8, "offset of dev");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->dev) == 4, "size of dev");
_Static_assert(offsetof(struct storage_rq_issue, sector) == 16, "offset of sector");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->sector) == 8, "size of sector");
_Static_assert(offsetof(struct storage_rq_issue, bytes) == 24, "offset of bytes");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->bytes) == 4, "size of bytes");
_Static_assert(offsetof(struct storage_rq_issue, status) == 28, "offset of status");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->status) == 1, "size of status");
_Static_assert(offsetof(struct storage_rq_issue, op) == 32, "offset of op");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->op) == 4, "size of op");
_Static_assert(offsetof(struct storage_rq_issue, comm) == 36, "offset of comm");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->comm) == 16, "size of comm");
_Static_assert(offsetof(struct storage_rq_issue, name) == 52, "offset of name");
_Static_assert(sizeof(((struct storage_rq_issue *)0)->name) == 4, "size of name");
_Static_assert(sizeof(struct storage_rq_issue) == 56, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/storage/rq_issue/id. */
static inline bool storage_rq_issue_from(const void *data, size_t size, const struct storage_rq_issue **record)
{
	if (size < sizeof(struct storage_rq_issue))
		return false;
	*record = (const struct storage_rq_issue *)data;
	return true;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *storage_rq_issue_comm(const struct storage_rq_issue *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_fixed(record, size, 36, 16));

	*length = found.size;
	return found.at;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *storage_rq_issue_name(const struct storage_rq_issue *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_located(record, size, 52, false));

	*length = found.size;
	return found.at;
}

/* storage:rq_done */
struct storage_rq_done {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_u32 dev; /* dev_t dev */
	tracec_u8 unused_12[4];
	tracec_u64 sector; /* u64 sector */
	tracec_u32 bytes; /* u32 bytes */
	tracec_u8 status; /* u8 status */
	tracec_u8 unused_29[3];
	tracec_u32 op; /* u32 op */
	char comm[16]; /* char[16] comm */
	tracec_u32 name; /* __data_loc char[] name */
};

_Static_assert(offsetof(struct storage_rq_done, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct storage_rq_done *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct storage_rq_done, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct storage_rq_done *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct storage_rq_done, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct storage_rq_done *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct storage_rq_done, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct storage_rq_done *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct storage_rq_done, dev) == 8, "offset of dev");
_Static_assert(sizeof(((struct storage_rq_done *)0)->dev) == 4, "size of dev");
_Static_assert(offsetof(struct storage_rq_done, sector) == 16, "offset of sector");
_Static_assert(sizeof(((struct storage_rq_done *)0)->sector) == 8, "size of sector");
_Static_assert(offsetof(struct storage_rq_done, bytes) == 24, "offset of bytes");
_Static_assert(sizeof(((struct storage_rq_done *)0)->bytes) == 4, "size of bytes");
_Static_assert(offsetof(struct storage_rq_done, status) == 28, "offset of status");
_Static_assert(sizeof(((struct storage_rq_done *)0)->status) == 1, "size of status");
_Static_assert(offsetof(struct storage_rq_done, op) == 32, "offset of op");
_Static_assert(sizeof(((struct storage_rq_done *)0)->op) == 4, "size of op");
_Static_assert(offsetof(struct storage_rq_done, comm) == 36, "offset of comm");
_Static_assert(sizeof(((struct storage_rq_done *)0)->comm) == 16, "size of comm");
_Static_assert(offsetof(struct storage_rq_done, name) == 52, "offset of name");
_Static_assert(sizeof(((struct storage_rq_done *)0)->name) == 4, "size of name");
_Static_assert(sizeof(struct storage_rq_done) == 56, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/storage/rq_done/id. */
static inline bool storage_rq_done_from(const void *data, size_t size, const struct storage_rq_done **record)
{
	if (size < sizeof(struct storage_rq_done))
		return false;
	*record = (const struct storage_rq_done *)data;
	return true;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *storage_rq_done_comm(const struct storage_rq_done *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_fixed(record, size, 36, 16));

	*length = found.size;
	return found.at;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *storage_rq_done_name(const struct storage_rq_done *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_located(record, size, 52, false));

	*length = found.size;
	return found.at;
}

/* storage:rq_slow */
struct storage_rq_slow {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_u32 dev; /* dev_t dev */
	tracec_u8 unused_12[4];
	tracec_u64 sector; /* u64 sector */
	tracec_u32 bytes; /* u32 bytes */
	tracec_u8 status; /* u8 status */
	tracec_u8 unused_29[3];
	tracec_u32 op; /* u32 op */
	char comm[16]; /* char[16] comm */
	tracec_u32 name; /* __data_loc char[] name */
};

_Static_assert(offsetof(struct storage_rq_slow, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct storage_rq_slow, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct storage_rq_slow, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct storage_rq_slow, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct storage_rq_slow, dev) == 8, "offset of dev");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->dev) == 4, "size of dev");
_Static_assert(offsetof(struct storage_rq_slow, sector) == 16, "offset of sector");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->sector) == 8, "size of sector");
_Static_assert(offsetof(struct storage_rq_slow, bytes) == 24, "offset of bytes");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->bytes) == 4, "size of bytes");
_Static_assert(offsetof(struct storage_rq_slow, status) == 28, "offset of status");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->status) == 1, "size of status");
_Static_assert(offsetof(struct storage_rq_slow, op) == 32, "offset of op");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->op) == 4, "size of op");
_Static_assert(offsetof(struct storage_rq_slow, comm) == 36, "offset of comm");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->comm) == 16, "size of comm");
_Static_assert(offsetof(struct storage_rq_slow, name) == 52, "offset of name");
_Static_assert(sizeof(((struct storage_rq_slow *)0)->name) == 4, "size of name");
_Static_assert(sizeof(struct storage_rq_slow) == 56, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/storage/rq_slow/id. */
static inline bool storage_rq_slow_from(const void *data, size_t size, const struct storage_rq_slow **record)
{
	if (size < sizeof(struct storage_rq_slow))
		return false;
	*record = (const struct storage_rq_slow *)data;
	return true;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *storage_rq_slow_comm(const struct storage_rq_slow *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_fixed(record, size, 36, 16));

	*length = found.size;
	return found.at;
}

/* The bytes of the text up to its NUL. NULL, and length 0, where they lie outside of the record of so many bytes. */
static inline const char *storage_rq_slow_name(const struct storage_rq_slow *record, size_t size, size_t *length)
{
	struct tracec_bytes found = tracec_text(tracec_located(record, size, 52, false));

	*length = found.size;
	return found.at;
}

/* storage:queue_full */
struct storage_queue_full {
	tracec_u16 common_type; /* unsigned short common_type */
	tracec_u8 common_flags; /* unsigned char common_flags */
	tracec_u8 common_preempt_count; /* unsigned char common_preempt_count */
	tracec_s32 common_pid; /* int common_pid */
	tracec_u32 dev; /* dev_t dev */
	tracec_u32 depth; /* u32 depth */
};

_Static_assert(offsetof(struct storage_queue_full, common_type) == 0, "offset of common_type");
_Static_assert(sizeof(((struct storage_queue_full *)0)->common_type) == 2, "size of common_type");
_Static_assert(offsetof(struct storage_queue_full, common_flags) == 2, "offset of common_flags");
_Static_assert(sizeof(((struct storage_queue_full *)0)->common_flags) == 1, "size of common_flags");
_Static_assert(offsetof(struct storage_queue_full, common_preempt_count) == 3, "offset of common_preempt_count");
_Static_assert(sizeof(((struct storage_queue_full *)0)->common_preempt_count) == 1, "size of common_preempt_count");
_Static_assert(offsetof(struct storage_queue_full, common_pid) == 4, "offset of common_pid");
_Static_assert(sizeof(((struct storage_queue_full *)0)->common_pid) == 4, "size of common_pid");
_Static_assert(offsetof(struct storage_queue_full, dev) == 8, "offset of dev");
_Static_assert(sizeof(((struct storage_queue_full *)0)->dev) == 4, "size of dev");
_Static_assert(offsetof(struct storage_queue_full, depth) == 12, "offset of depth");
_Static_assert(sizeof(((struct storage_queue_full *)0)->depth) == 4, "size of depth");
_Static_assert(sizeof(struct storage_queue_full) == 16, "size");

/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this
 * event is said by common_type: the number in events/storage/queue_full/id. */
static inline bool storage_queue_full_from(const void *data, size_t size, const struct storage_queue_full **record)
{
	if (size < sizeof(struct storage_queue_full))
		return false;
	*record = (const struct storage_queue_full *)data;
	return true;
}

#endif
