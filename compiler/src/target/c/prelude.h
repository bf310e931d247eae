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
