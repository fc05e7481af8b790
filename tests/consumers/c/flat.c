/* The flat wire: requests are read from standard input, each is answered on standard output. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

enum { MAX_OBJECTS = 16 };

/* An object is its parameters, kept. */
struct object {
    char name[64];
    struct call made;
};

static struct object objects[MAX_OBJECTS];
static char *line;
static size_t capacity;

static int next_line(void) {
    ssize_t length = getline(&line, &capacity, stdin);
    if (length > 0 && line[length - 1] == '\n') line[length - 1] = 0;
    return length > 0;
}

static struct object *find(const char *name) {
    for (int i = 0; i < MAX_OBJECTS; i++)
        if (!strcmp(objects[i].name, name)) return &objects[i];
    return NULL;
}

static void start(void) {
    printf("name kernels\nlanguage C\nversion 1\n");
    for (int i = 0; OPERATIONS[i]; i++) printf("operation %s\n", OPERATIONS[i]);
    printf("dtype " DTYPE "\nclaim " DTYPE " " CLAIM "\nsession rope.apply\nend 0\n");
}

/* param NAME KIND TEXT, the text empty where there is none. */
static void read_param(struct call *call) {
    char *name = line + strlen("param "), *kind = strchr(name, ' '), *text;
    *kind++ = 0;
    text = strchr(kind, ' ');
    if (text) *text++ = 0;
    add_param(call, name, kind, text ? text : "");
}

static void read_row(struct tensor *tensor, int64_t first, int64_t width) {
    char *word = line;
    for (int64_t i = first; i < first + width; i++) {
        if (!strcmp(tensor->dtype, "float32")) {
            uint32_t bits = (uint32_t)strtoul(word, &word, 16);
            float value;
            memcpy(&value, &bits, sizeof value);
            tensor->values[i] = value;
        } else if (!strcmp(tensor->dtype, "float64")) {
            uint64_t bits = strtoull(word, &word, 16);
            memcpy(&tensor->values[i], &bits, sizeof bits);
        } else {
            tensor->integers[i] = strtoll(word, &word, 10);
        }
    }
}

/* input NAME DTYPE RANK AXES..., then a line a row. */
static void read_input(struct call *call) {
    char name[32], dtype[16], *rest;
    int rank, used;
    int64_t shape[MAX_AXES] = {0}, size = 1, width = 1;
    sscanf(line, "input %31s %15s %d%n", name, dtype, &rank, &used);
    rest = line + used;
    for (int axis = 0; axis < rank; axis++) {
        width = strtoll(rest, &rest, 10);
        size *= width;
        if (axis < MAX_AXES) shape[axis] = width;
    }
    struct tensor *tensor = add_input(call, name, dtype, rank, shape);
    for (int64_t first = 0; first < size && next_line(); first += width)
        if (tensor) read_row(tensor, first, width);
}

/* The rest of a request, up to its end. */
static void read_call(struct call *call) {
    while (next_line() && strncmp(line, "end ", 4)) {
        if (!strncmp(line, "param ", 6)) read_param(call);
        if (!strncmp(line, "input ", 6)) read_input(call);
        if (!strncmp(line, "seq_len ", 8)) add_param(call, "seq_len", "integer", line + 8);
    }
}

static void write_output(const struct tensor *output) {
    int64_t width = output->rank ? output->shape[output->rank - 1] : 1;
    printf("output %s %s %d", output->name, output->dtype, output->rank);
    for (int axis = 0; axis < output->rank; axis++) printf(" %lld", (long long)output->shape[axis]);
    for (int64_t i = 0; i < output->size; i++) {
        float value = (float)output->values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        printf("%c%08lx", i % width ? ' ' : '\n', (unsigned long)bits);
    }
    putchar('\n');
}

static void reply(long long seq, struct call *call) {
    answer(call);
    if (call->skipped) printf("skipped %lld %s\n", seq, call->skipped);
    else if (call->error) printf("error %lld %s %s\n", seq, call->error, call->fault);
    else {
        for (int i = 0; i < call->outputs; i++) write_output(&call->output[i]);
        printf("end %lld\n", seq);
    }
    release(call);
}

static void run(void) {
    struct call call = {0};
    long long seq;
    sscanf(line, "run %lld %*s %63s %15s", &seq, call.operation, call.dtype);
    read_call(&call);
    reply(seq, &call);
}

static void open_object(void) {
    struct call made = {0};
    char name[64];
    long long seq;
    sscanf(line, "open %lld %63s %63s", &seq, name, made.operation);
    read_call(&made);
    struct object *object = find("");
    if (!object) {
        printf("skipped %lld too many objects\n", seq);
        release(&made);
        return;
    }
    strcpy(object->name, name);
    object->made = made;
    printf("opened %lld\n", seq);
}

static void step(void) {
    struct call call = {0};
    char name[64];
    long long seq;
    sscanf(line, "step %lld %*s %63s %15s", &seq, name, call.dtype);
    read_call(&call); /* a length of this call comes first and is found first */
    struct object *object = find(name);
    if (object) strcpy(call.operation, object->made.operation);
    for (int i = 0; object && i < object->made.params; i++) {
        const struct param *param = &object->made.param[i];
        add_param(&call, param->name, param->kind, param->text);
    }
    reply(seq, &call);
}

static void close_object(void) {
    char name[64];
    long long seq;
    sscanf(line, "close %lld %63s", &seq, name);
    struct object *object = find(name);
    if (object) {
        release(&object->made);
        object->name[0] = 0;
    }
    printf("closed %lld\n", seq);
}

int main(void) {
    while (next_line() && strncmp(line, "stop ", 5)) {
        if (!strncmp(line, "start ", 6)) start();
        if (!strncmp(line, "run ", 4)) run();
        if (!strncmp(line, "open ", 5)) open_object();
        if (!strncmp(line, "step ", 5)) step();
        if (!strncmp(line, "close ", 6)) close_object();
        fflush(stdout);
    }
    free(line);
    return 0;
}
