/*
 * tep_print_event() of libtraceevent on records in memory.
 *
 *     tep FORMATS RECORDS PASSES
 *     tep FORMATS
 *
 * FORMATS holds format files, each behind its length and the name of its system, RECORDS records; lengths are four
 * bytes in this machine's order. Prints the records of one pass, the bytes of their texts, and the nanoseconds of CPU
 * time that PASSES passes over all of them took. With FORMATS alone, it prints how many of them the library understands, and
 * how many there are.
 */
#include <event-parse.h>
#include <trace-seq.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static char *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *content;
	long length;

	if (!file || fseek(file, 0, SEEK_END) || (length = ftell(file)) < 0 || fseek(file, 0, SEEK_SET)) {
		perror(path);
		exit(1);
	}
	content = malloc(length + 1);
	if (!content || fread(content, 1, length, file) != (size_t)length)
		fail("a file cannot be read");
	fclose(file);
	*size = length;
	return content;
}

static uint32_t length_at(const char *bytes)
{
	uint32_t length;

	memcpy(&length, bytes, sizeof(length));
	return length;
}

int main(int argc, char **argv)
{
	size_t format_size, size, at, bytes = 0, count = 0;
	size_t understood = 0, formats_count = 0;
	struct tep_handle *tep = tep_alloc();
	struct timespec start, end;
	struct trace_seq seq;
	char *formats, *records;

	if ((argc != 4 && argc != 2) || !tep)
		return 64;
	formats = slurp(argv[1], &format_size);
	tep_set_long_size(tep, sizeof(long));
	for (at = 0; at + 4 <= format_size; at += 4 + length_at(formats + at)) {
		const char *system = formats + at + 4, *format = system + strlen(system) + 1;

		/* What it does not understand it prints in a form of its own. */
		if (!tep_parse_event(tep, format, length_at(formats + at) - strlen(system) - 1, system))
			understood++;
		formats_count++;
	}
	if (argc == 2) {
		printf("%zu %zu\n", understood, formats_count);
		return 0;
	}
	records = slurp(argv[2], &size);
	trace_seq_init(&seq);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	for (long pass = atol(argv[3]); pass > 0; pass--) {
		bytes = count = 0;
		for (at = 0; at + 4 <= size; at += 4 + length_at(records + at)) {
			struct tep_record record = { .data = records + at + 4, .size = length_at(records + at) };

			trace_seq_reset(&seq);
			tep_print_event(tep, &seq, &record, "%s", TEP_PRINT_INFO);
			bytes += seq.len;
			count++;
		}
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	printf("%zu %zu %lld\n", count, bytes,
	       (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec);
	return 0;
}
