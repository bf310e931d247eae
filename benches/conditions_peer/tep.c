/*
 * tep_filter_match() of libtraceevent on records in memory.
 *
 *     tep FORMAT RECORDS PASSES
 *
 * FORMAT is an event's format file, RECORDS its records, each behind its length: four bytes in this machine's order.
 * Answers each line of its input with one line:
 *
 *     filter SYSTEM/EVENT:TEXT    `ok`, or `error` and what the library says; the filter of the lines that follow
 *     decide                      a character for each record: 1 kept, 0 not, E the library reports an error
 *     round                       records kept in PASSES passes over all of them; nanoseconds that took; of CPU time
 */
#include <event-parse.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where a record lies; as small as what the other side walks over. */
struct place {
	uint32_t at;
	uint32_t size;
};

static struct tep_handle *tep;
static struct tep_event_filter *filter;
static char *bytes;
static struct place *places;
static size_t count;

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
	content[length] = 0;
	*size = length;
	return content;
}

static uint32_t length_at(size_t at)
{
	uint32_t length;

	memcpy(&length, bytes + at, sizeof(length));
	return length;
}

static void find_records(size_t size)
{
	size_t at;

	for (at = 0; at + 4 <= size; at += 4 + length_at(at))
		count++;
	places = calloc(count + 1, sizeof(*places));
	if (!places)
		fail("no memory");
	for (at = 0, count = 0; at + 4 <= size; at += 4 + length_at(at))
		places[count++] = (struct place){ .at = at + 4, .size = length_at(at) };
}

static enum tep_errno match(size_t index)
{
	static struct tep_record record;

	record.data = bytes + places[index].at;
	record.size = places[index].size;
	record.record_size = places[index].size;
	return tep_filter_match(filter, &record);
}

static void set_filter(const char *text)
{
	enum tep_errno error;
	char why[512];

	/*
	 * The old one is left alone: of some filters that the library takes, freeing crashes it, `(a & 1) == 1` for
	 * one.
	 */
	filter = tep_filter_alloc(tep);
	if (!filter)
		fail("no memory");
	error = tep_filter_add_filter_str(filter, text);
	if (error < 0) {
		tep_filter_strerror(filter, error, why, sizeof(why));
		why[strcspn(why, "\n")] = 0;
		printf("error %s\n", why);
	} else {
		puts("ok");
	}
}

static void decide(void)
{
	for (size_t index = 0; index < count; index++) {
		switch (match(index)) {
		case TEP_ERRNO__FILTER_MATCH:
			putchar('1');
			break;
		case TEP_ERRNO__FILTER_MISS:
			putchar('0');
			break;
		default:
			putchar('E');
		}
	}
	putchar('\n');
}

static long long now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void time_round(long passes)
{
	long long cpu = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
	size_t kept = 0;

	for (long pass = 0; pass < passes; pass++)
		for (size_t index = 0; index < count; index++)
			kept += match(index) == TEP_ERRNO__FILTER_MATCH;
	wall = now(CLOCK_MONOTONIC) - wall;
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	printf("%zu %lld %lld\n", kept, wall, cpu);
}

int main(int argc, char **argv)
{
	size_t format_size, size;
	char line[4096], *format;

	if (argc != 4)
		return 64;
	format = slurp(argv[1], &format_size);
	bytes = slurp(argv[2], &size);
	find_records(size);
	tep = tep_alloc();
	if (!tep)
		fail("no memory");
	tep_set_long_size(tep, sizeof(long));
	if (tep_parse_event(tep, format, format_size, "sched"))
		fail("the format is not understood");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "filter ", 7))
			set_filter(line + 7);
		else if (!filter)
			fail("no filter yet");
		else if (!strcmp(line, "decide"))
			decide();
		else if (!strcmp(line, "round"))
			time_round(atol(argv[3]));
		else
			fail("not a command");
		fflush(stdout);
	}
	return 0;
}
