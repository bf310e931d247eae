// SPDX-License-Identifier: MIT OR Apache-2.0
// Walks the pages of a ring buffer (kernel/trace/ring_buffer.c) and does nothing with their records but to count them and to
// add up their time stamps: the least that a reader of a recording can do.
//
//     walk FILE PASSES PAGE_SIZE [OFFSET LENGTH]...
//
// With 0 passes it reads the file once, in blocks, and prints `COUNT SUM`. Otherwise it reads all first, and prints after
// these numbers the processor's time of each pass in nanoseconds.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024, PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };

struct sums {
	uint64_t count, time;
};

static uint32_t word(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void page(const unsigned char *start, size_t size, struct sums *sums)
{
	uint64_t time, commit;
	const unsigned char *at = start + 16, *end;

	memcpy(&time, start, sizeof(time));
	memcpy(&commit, start + 8, sizeof(commit));
	commit &= 0xfffff;
	end = commit > size - 16 ? start + size : at + commit;
	while (at + 4 <= end) {
		uint32_t head = word(at), type = head & 31, delta = head >> 5;

		at += 4;
		switch (type) {
		case PADDING:
			if (!delta)
				return;
			time += delta;
			at += word(at);
			break;
		case TIME_EXTEND:
			time += delta + ((uint64_t)word(at) << 27);
			at += 4;
			break;
		case TIME_STAMP:
			time = (time & 0xf800000000000000) | (delta + ((uint64_t)word(at) << 27));
			at += 4;
			break;
		default:
			time += delta;
			sums->count++;
			sums->time += time;
			at += type ? 4 * type : (word(at) + 3) & ~3u;
		}
	}
}

static void pages(const unsigned char *bytes, size_t length, size_t size, struct sums *sums)
{
	for (size_t at = 0; at + size <= length; at += size)
		page(bytes + at, size, sums);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(int count, char **arguments)
{
	struct sums sums = { 0 };
	int passes, file;
	size_t size, total = 0;
	unsigned char *all;

	if (count < 4)
		return 2;
	file = open(arguments[1], O_RDONLY);
	if (file < 0)
		return fail(arguments[1]);
	passes = atoi(arguments[2]);
	size = strtoul(arguments[3], NULL, 10);
	if (!size || BLOCK % size)
		return 2;
	for (int i = 4; i + 1 < count; i += 2)
		total += strtoul(arguments[i + 1], NULL, 10);
	all = malloc(passes ? total : BLOCK);
	if (!all)
		return fail("malloc");
	total = 0;
	for (int i = 4; i + 1 < count; i += 2) {
		size_t offset = strtoul(arguments[i], NULL, 10), length = strtoul(arguments[i + 1], NULL, 10);

		for (size_t done = 0; done < length;) {
			size_t wanted = length - done < BLOCK ? length - done : BLOCK;
			ssize_t got = pread(file, passes ? all + total : all, wanted, offset + done);

			if (got <= 0 || got % size)
				return fail("pread");
			if (!passes)
				pages(all, got, size, &sums);
			total += got;
			done += got;
		}
	}
	if (!passes) {
		printf("%llu %llu\n", (unsigned long long)sums.count, (unsigned long long)sums.time);
		return 0;
	}
	pages(all, total, size, &sums);
	printf("%llu %llu", (unsigned long long)sums.count, (unsigned long long)sums.time);
	for (int pass = 0; pass < passes; pass++) {
		struct sums again = { 0 };
		uint64_t start = now();

		pages(all, total, size, &again);
		printf(" %llu", (unsigned long long)(now() - start));
		if (again.count != sums.count || again.time != sums.time)
			return 3;
	}
	printf("\n");
	return 0;
}
