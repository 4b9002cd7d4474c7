/* Reads boxes of dense arrays into NumPy arrays: what _arrays/box_reader.py does, without the interpreter.
 *
 * The module is optional. It uses CPython's stable ABI alone, so that one file serves all releases from 3.9 on, and links neither with the
 * library, whose functions it calls by the addresses that ctypes has found, nor with NumPy, whose arrays it makes by calling their type.
 * A key or a result that is not for it yields None, for which the caller uses the general read.
 *
 * Ctrl-C cancels a read on the main thread as in interrupts.py: for the time of the read a handler in C stands before that of CPython. It
 * wakes the thread that cancels, then calls CPython's, so that no signal is lost. Handlers of the program need nothing: CPython calls them
 * when the read has returned.
 */
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DIMENSIONS 16
/* Calls that an idle reader retains; as many threads read without making new ones. */
#define MAX_IDLE_CALLS 8

/* In the order in which connect() receives their addresses. */
static struct {
    int32_t (*query_alloc)(void *ctx, void *array, uint32_t type, void **query);
    void (*query_free)(void **query);
    int32_t (*query_set_data_buffer)(void *ctx, void *query, const char *name, void *data, uint64_t *size);
    int32_t (*query_set_subarray_t)(void *ctx, void *query, const void *subarray);
    int32_t (*query_submit)(void *ctx, void *query);
    int32_t (*subarray_alloc)(void *ctx, const void *array, void **subarray);
    void (*subarray_free)(void **subarray);
    int32_t (*subarray_set_subarray)(void *ctx, void *subarray, const void *bounds);
    int32_t (*ctx_cancel_tasks)(void *ctx);
    int32_t (*ctx_get_last_error)(void *ctx, void **error);
    int32_t (*error_message)(void *error, const char **message);
    void (*error_free)(void **error);
} library;
#define FUNCTIONS (sizeof library / sizeof(void *))

/* Objects of Python that reads use, from connect(). */
static PyObject *error_type, *start_watcher, *stop_watcher, *get_signal, *default_handler;
static PyObject *name_start, *name_stop, *name_step, *interrupt_number, *nothing;

/* References are counted by functions: the macros of the headers for 3.9 would count those of None and small integers, too, which are
 * immortal in later releases. */
static PyObject *new_none(void) {
    Py_IncRef(Py_None);
    return Py_None;
}

/* ---- Ctrl-C ---- */

/* The read of the main thread that Ctrl-C ends. All is changed with the GIL held, but by the handler. */
static struct {
    volatile sig_atomic_t read;      /* the number of the read; 0: none */
    volatile sig_atomic_t signalled; /* the last read that was interrupted */
    volatile int wakeup;             /* the socket of the thread that cancels; -1: none */
    volatile pid_t process;
    int number;
    unsigned long main_thread;
    void *ctx;
    struct sigaction former; /* CPython's */
    /* Held during a cancellation, which must not reach the context after the read. */
    PyThread_type_lock cancelling;
} interrupts = {.wakeup = -1};

static void on_interrupt(int number, siginfo_t *info, void *context) {
    int error = errno;
    char byte = (char)number;
    /* A child that another thread has forked shares the socket. */
    if (interrupts.read && interrupts.process == getpid()) {
        interrupts.signalled = interrupts.read;
        if (write(interrupts.wakeup, &byte, 1) < 0) {
            /* It is full: the thread has been woken. */
        }
    }
    errno = error;
    if (interrupts.former.sa_flags & SA_SIGINFO)
        interrupts.former.sa_sigaction(number, info, context);
    else if (interrupts.former.sa_handler != SIG_DFL && interrupts.former.sa_handler != SIG_IGN)
        interrupts.former.sa_handler(number);
}

/* Whether Ctrl-C is to cancel a read of this thread; -1 with an exception. */
static int is_interruptible(void) {
    PyObject *handler, *wakeup;
    int is_default;

    if (PyThread_get_thread_ident() != interrupts.main_thread || interrupts.read)
        return 0;
    handler = PyObject_CallFunctionObjArgs(get_signal, interrupt_number, NULL);
    if (handler == NULL)
        return -1;
    is_default = handler == default_handler;
    Py_DecRef(handler);
    if (is_default && interrupts.wakeup == -1) {
        wakeup = PyObject_CallFunctionObjArgs(start_watcher, NULL);
        if (wakeup == NULL)
            return -1;
        interrupts.wakeup = (int)PyLong_AsLong(wakeup);
        Py_DecRef(wakeup);
        if (interrupts.wakeup == -1 && PyErr_Occurred())
            return -1;
    }
    return is_default && interrupts.wakeup != -1;
}

static void begin_interruptible(void *ctx) {
    struct sigaction action, former;

    interrupts.ctx = ctx;
    interrupts.number = interrupts.number == INT_MAX ? 1 : interrupts.number + 1;
    /* The handler may run before sigaction() has stored the former action. */
    if (interrupts.former.sa_handler == SIG_DFL)
        sigaction(SIGINT, NULL, &interrupts.former);
    interrupts.read = interrupts.number;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_interrupt;
    action.sa_flags = SA_SIGINFO | (interrupts.former.sa_flags & ~SA_RESETHAND);
    action.sa_mask = interrupts.former.sa_mask;
    sigaction(SIGINT, &action, &former);
    interrupts.former = former;
}

/* Returns -1 with an exception if the read was interrupted. */
static int end_interruptible(void) {
    PyObject *stopped;

    sigaction(SIGINT, &interrupts.former, NULL);
    if (interrupts.signalled != interrupts.read) {
        interrupts.read = 0;
        return 0;
    }
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(interrupts.cancelling, WAIT_LOCK);
    Py_END_ALLOW_THREADS
    interrupts.read = 0;
    PyThread_release_lock(interrupts.cancelling);
    /* The thread may not have received the signal, which must not reach a later read. */
    interrupts.wakeup = -1;
    stopped = PyObject_CallFunctionObjArgs(stop_watcher, NULL);
    Py_DecRef(stopped);
    return stopped == NULL ? -1 : PyErr_CheckSignals();
}

PyDoc_STRVAR(cancel_doc, "cancel()\n--\n\nCancels the operations of the context of the interrupted read; False if it has ended.");

static PyObject *cancel(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments)) {
    PyThread_type_lock lock = interrupts.cancelling;
    int is_running;

    if (lock == NULL)
        return PyBool_FromLong(0);
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(lock, WAIT_LOCK);
    is_running = interrupts.read && interrupts.signalled == interrupts.read;
    if (is_running)
        library.ctx_cancel_tasks(interrupts.ctx);
    PyThread_release_lock(lock);
    Py_END_ALLOW_THREADS
    return PyBool_FromLong(is_running);
}

PyDoc_STRVAR(after_fork_doc, "after_fork()\n--\n\nForgets the read, the thread that cancels and the lock of the parent process.");

static PyObject *after_fork(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments)) {
    if (interrupts.read)
        sigaction(SIGINT, &interrupts.former, NULL);
    interrupts.read = 0;
    interrupts.wakeup = -1;
    interrupts.process = getpid();
    interrupts.main_thread = PyThread_get_thread_ident();
    /* That of the parent may be locked for ever. */
    interrupts.cancelling = PyThread_allocate_lock();
    if (interrupts.cancelling == NULL)
        return PyErr_NoMemory();
    return new_none();
}

/* ---- Reading ---- */

/* What one read uses and the next one uses again. */
struct call {
    struct call *next;
    void *subarray;
    struct {
        void *data;
        uint64_t capacity, size;
    } buffers[];
};

struct attribute {
    PyObject *name, *dtype, *tail; /* tail: the shape of a cell */
    PyObject *encoded;             /* the name for the library */
    const char *encoded_name;
    Py_ssize_t width, tail_length;
};

typedef struct {
    PyObject_HEAD
    PyObject *owners; /* of the context and the array */
    PyObject *array_type, *integers;
    void *ctx, *array;
    struct call *idle;
    struct attribute *attributes;
    Py_ssize_t attribute_count, dimension_count, idle_count;
    uint64_t max_cells;
    int coordinate_width;
    int64_t domain[MAX_DIMENSIONS][2];
} BoxReader;

struct box {
    int64_t bounds[MAX_DIMENSIONS][2];
    uint64_t extents[MAX_DIMENSIONS]; /* of the axes of the result */
    uint64_t cells;
    Py_ssize_t axes;
};

/* The number of an int or a NumPy integer; 0 for anything else, -1 with an exception. */
static int coordinate_of(BoxReader *self, PyObject *value, int64_t *number) {
    int overflow;
    PyObject *converted = NULL;

    if (!PyLong_CheckExact(value)) {
        int is_integer = PySet_Contains(self->integers, (PyObject *)Py_TYPE(value));
        if (is_integer <= 0)
            return is_integer;
        value = converted = PyNumber_Index(value);
        if (converted == NULL)
            return -1;
    }
    *number = PyLong_AsLongLongAndOverflow(value, &overflow);
    Py_DecRef(converted);
    if (*number == -1 && PyErr_Occurred())
        return -1;
    return overflow == 0;
}

/* A bound of a slice, which is None or an int; `stop` is excluded. */
static int bound_of(PyObject *slice, PyObject *name, int is_stop, int64_t *bound) {
    PyObject *value = PyObject_GetAttr(slice, name);
    int overflow = 0, is_exact;

    if (value == NULL)
        return -1;
    if (value == Py_None) {
        Py_DecRef(value);
        return 1;
    }
    is_exact = PyLong_CheckExact(value);
    if (is_exact)
        *bound = PyLong_AsLongLongAndOverflow(value, &overflow);
    Py_DecRef(value);
    if (!is_exact || overflow || (is_stop && *bound == INT64_MIN))
        return 0;
    *bound -= is_stop;
    return 1;
}

/* Adds the part of a key for one dimension; 0 if the general read is to read it, -1 with an exception. */
static int add_part(BoxReader *self, PyObject *part, Py_ssize_t at, struct box *box) {
    int64_t *bounds = box->bounds[at];
    const int64_t *domain = self->domain[at];
    int done;

    bounds[0] = domain[0];
    bounds[1] = domain[1];
    if (part != NULL && Py_TYPE(part) != &PySlice_Type) {
        done = coordinate_of(self, part, &bounds[0]);
        bounds[1] = bounds[0];
        return done > 0 ? domain[0] <= bounds[0] && bounds[0] <= domain[1] : done;
    }
    if (part != NULL) {
        PyObject *step = PyObject_GetAttr(part, name_step);
        if (step == NULL)
            return -1;
        Py_DecRef(step);
        if (step != Py_None)
            return 0;
        done = bound_of(part, name_start, 0, &bounds[0]);
        if (done > 0)
            done = bound_of(part, name_stop, 1, &bounds[1]);
        if (done <= 0)
            return done;
        if (bounds[0] < domain[0] || bounds[0] > bounds[1] || bounds[1] > domain[1])
            return 0;
    }
    /* Their difference is less than 2^63, or as large as an unsigned number. */
    uint64_t extent = (uint64_t)bounds[1] - (uint64_t)bounds[0];
    if (extent >= self->max_cells)
        return 0;
    box->extents[box->axes++] = ++extent;
    box->cells *= extent;
    return box->cells <= self->max_cells;
}

static int parse_key(BoxReader *self, PyObject *key, struct box *box) {
    int is_tuple = PyTuple_CheckExact(key), done = 1;
    Py_ssize_t parts = is_tuple ? PyTuple_Size(key) : 1;

    box->cells = 1;
    box->axes = 0;
    if (parts > self->dimension_count)
        return 0;
    for (Py_ssize_t at = 0; done > 0 && at < self->dimension_count; at++) {
        PyObject *part = at >= parts ? NULL : is_tuple ? PyTuple_GetItem(key, at) : key;
        done = add_part(self, part, at, box);
    }
    return done;
}

/* The bounds as the library reads them. */
static void pack_bounds(const BoxReader *self, const struct box *box, char *packed) {
    for (Py_ssize_t at = 0; at < 2 * self->dimension_count; at++) {
        int64_t bound = box->bounds[at / 2][at % 2];
        int8_t number8 = (int8_t)bound;
        int16_t number16 = (int16_t)bound;
        int32_t number32 = (int32_t)bound;
        const void *number = self->coordinate_width == 1 ? (void *)&number8 : self->coordinate_width == 2 ? (void *)&number16 : self->coordinate_width == 4 ? (void *)&number32 : (void *)&bound;
        memcpy(packed + at * self->coordinate_width, number, (size_t)self->coordinate_width);
    }
}

enum outcome { COMPLETE, UNPREPARED, FAILED };

/* Submits a query, without the GIL. The message of a failure is for free(). */
static enum outcome submit(BoxReader *self, struct call *call, const void *bounds, char **message) {
    void *ctx = self->ctx, *query = NULL, *error = NULL;
    const char *text = NULL;
    enum outcome outcome = UNPREPARED;
    int failed = call->subarray == NULL && library.subarray_alloc(ctx, self->array, &call->subarray);

    failed = failed || library.query_alloc(ctx, self->array, 0, &query) || library.subarray_set_subarray(ctx, call->subarray, bounds) ||
             library.query_set_subarray_t(ctx, query, call->subarray);
    for (Py_ssize_t at = 0; !failed && at < self->attribute_count; at++)
        failed = library.query_set_data_buffer(ctx, query, self->attributes[at].encoded_name, call->buffers[at].data, &call->buffers[at].size);
    if (!failed) {
        outcome = library.query_submit(ctx, query) ? FAILED : COMPLETE;
        /* Before another operation of the context fails. */
        if (outcome == FAILED && library.ctx_get_last_error(ctx, &error) == 0 && error != NULL) {
            if (library.error_message(error, &text) == 0 && text != NULL && (*message = malloc(strlen(text) + 1)) != NULL)
                strcpy(*message, text);
            library.error_free(&error);
        }
    }
    if (query != NULL)
        library.query_free(&query);
    return outcome;
}

static struct call *take_call(BoxReader *self) {
    struct call *call = self->idle;

    if (call != NULL) {
        self->idle = call->next;
        self->idle_count--;
        return call;
    }
    call = calloc(1, sizeof *call + (size_t)self->attribute_count * sizeof call->buffers[0]);
    if (call == NULL)
        PyErr_NoMemory();
    return call;
}

static void free_call(struct call *call) {
    if (call->subarray != NULL)
        library.subarray_free(&call->subarray);
    free(call);
}

static void return_call(BoxReader *self, struct call *call) {
    if (self->idle_count == MAX_IDLE_CALLS) {
        free_call(call);
        return;
    }
    call->next = self->idle;
    self->idle = call;
    self->idle_count++;
}

/* A buffer for each attribute, in a list. */
static PyObject *make_buffers(BoxReader *self, struct call *call, uint64_t cells) {
    PyObject *buffers = PyList_New(self->attribute_count);

    for (Py_ssize_t at = 0; buffers != NULL && at < self->attribute_count; at++) {
        Py_ssize_t bytes = (Py_ssize_t)cells * self->attributes[at].width;
        PyObject *buffer = PyByteArray_FromStringAndSize(NULL, bytes);
        if (buffer == NULL || PyList_SetItem(buffers, at, buffer) < 0) {
            Py_DecRef(buffers);
            return NULL;
        }
        call->buffers[at].data = PyByteArray_AsString(buffer);
        call->buffers[at].capacity = call->buffers[at].size = (uint64_t)bytes;
    }
    return buffers;
}

/* The NumPy array on a buffer; a value of NumPy if the box is a cell. */
static PyObject *make_array(BoxReader *self, const struct attribute *attribute, const struct box *box, PyObject *buffer) {
    PyObject *array, *value, *shape = PyTuple_New(box->axes + attribute->tail_length);

    if (shape == NULL)
        return NULL;
    for (Py_ssize_t at = 0; at < box->axes + attribute->tail_length; at++) {
        PyObject *extent;
        if (at < box->axes) {
            extent = PyLong_FromUnsignedLongLong(box->extents[at]);
        } else {
            extent = PyTuple_GetItem(attribute->tail, at - box->axes);
            Py_IncRef(extent);
        }
        if (extent == NULL || PyTuple_SetItem(shape, at, extent) < 0) {
            Py_DecRef(shape);
            return NULL;
        }
    }
    array = PyObject_CallFunctionObjArgs(self->array_type, shape, attribute->dtype, buffer, NULL);
    Py_DecRef(shape);
    if (array == NULL || box->axes != 0)
        return array;
    value = PyObject_GetItem(array, nothing);
    Py_DecRef(array);
    return value;
}

static PyObject *make_result(BoxReader *self, const struct box *box, PyObject *buffers) {
    PyObject *result;

    if (self->attribute_count == 1)
        return make_array(self, &self->attributes[0], box, PyList_GetItem(buffers, 0));
    result = PyDict_New();
    for (Py_ssize_t at = 0; result != NULL && at < self->attribute_count; at++) {
        PyObject *array = make_array(self, &self->attributes[at], box, PyList_GetItem(buffers, at));
        if (array == NULL || PyDict_SetItem(result, self->attributes[at].name, array) < 0) {
            Py_DecRef(result);
            result = NULL;
        }
        Py_DecRef(array);
    }
    return result;
}

static void raise_failure(const char *message) {
    PyObject *text, *error;

    if (message == NULL)
        message = "unknown error";
    text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    if (text == NULL)
        return;
    error = PyObject_CallFunction(error_type, "Os", text, "read");
    Py_DecRef(text);
    if (error == NULL)
        return;
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DecRef(error);
}

PyDoc_STRVAR(read_doc, "read(key)\n--\n\nThe cells of a key; None for a key or a result that is left to the general read.");

static PyObject *read_box(PyObject *object, PyObject *key) {
    BoxReader *self = (BoxReader *)object;
    struct box box;
    struct call *call;
    char bounds[2 * MAX_DIMENSIONS * sizeof(int64_t)], *message = NULL;
    PyObject *buffers, *result = NULL;
    enum outcome outcome;
    int parsed = parse_key(self, key, &box), is_cancellable;

    if (parsed <= 0) {
        if (parsed < 0)
            return NULL;
        return new_none();
    }
    call = take_call(self);
    if (call == NULL)
        return NULL;
    buffers = make_buffers(self, call, box.cells);
    is_cancellable = buffers == NULL ? -1 : is_interruptible();
    if (is_cancellable < 0)
        goto end;
    pack_bounds(self, &box, bounds);
    if (is_cancellable) {
        begin_interruptible(self->ctx);
        /* A signal that has arrived before. */
        if (PyErr_CheckSignals() < 0) {
            PyObject *type, *value, *traceback;
            PyErr_Fetch(&type, &value, &traceback);
            if (end_interruptible() < 0)
                PyErr_Clear();
            PyErr_Restore(type, value, traceback);
            goto end;
        }
    }
    Py_BEGIN_ALLOW_THREADS
    outcome = submit(self, call, bounds, &message);
    Py_END_ALLOW_THREADS
    if (is_cancellable && end_interruptible() < 0)
        goto end;
    if (outcome == FAILED) {
        raise_failure(message);
        goto end;
    }
    for (Py_ssize_t at = 0; outcome == COMPLETE && at < self->attribute_count; at++) {
        /* A query that is incomplete, as with too little memory, has not filled its buffers. */
        if (call->buffers[at].size != call->buffers[at].capacity)
            outcome = UNPREPARED;
    }
    if (outcome == COMPLETE) {
        result = make_result(self, &box, buffers);
    } else {
        result = new_none();
    }
end:
    free(message);
    Py_DecRef(buffers);
    return_call(self, call);
    return result;
}

/* ---- The type and the module ---- */

static int set_dimensions(BoxReader *self, PyObject *domain) {
    self->dimension_count = PyTuple_Size(domain);
    if (self->dimension_count < 1 || self->dimension_count > MAX_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError, "a box has 1 to %d dimensions, not %zd", MAX_DIMENSIONS, self->dimension_count);
        return -1;
    }
    for (Py_ssize_t at = 0; at < self->dimension_count; at++) {
        long long first, last;
        PyObject *bounds = PyTuple_GetItem(domain, at);
        if (!PyTuple_Check(bounds) || !PyArg_ParseTuple(bounds, "LL", &first, &last)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "the bounds of a dimension must be a tuple");
            return -1;
        }
        self->domain[at][0] = first;
        self->domain[at][1] = last;
    }
    return 0;
}

static int set_attributes(BoxReader *self, PyObject *attributes, Py_ssize_t max_bytes) {
    Py_ssize_t widest = 1, count = PyTuple_Size(attributes);

    if (count < 1 || max_bytes < 1) {
        PyErr_SetString(PyExc_ValueError, "a box has attributes and a largest size");
        return -1;
    }
    self->attributes = calloc((size_t)count, sizeof(struct attribute));
    if (self->attributes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; self->attribute_count < count; self->attribute_count++) {
        struct attribute *one = &self->attributes[self->attribute_count];
        PyObject *name, *encoded, *dtype, *tail, *parts = PyTuple_GetItem(attributes, self->attribute_count);
        if (!PyTuple_Check(parts)) {
            PyErr_SetString(PyExc_TypeError, "an attribute must be a tuple");
            return -1;
        }
        if (!PyArg_ParseTuple(parts, "USOO!n", &name, &encoded, &dtype, &PyTuple_Type, &tail, &one->width))
            return -1;
        if (one->width < 1 || one->width > max_bytes) {
            PyErr_Format(PyExc_ValueError, "a cell of %zd bytes", one->width);
            return -1;
        }
        Py_IncRef(name);
        Py_IncRef(encoded);
        Py_IncRef(dtype);
        Py_IncRef(tail);
        one->name = name;
        one->encoded = encoded;
        one->encoded_name = PyBytes_AsString(encoded);
        one->dtype = dtype;
        one->tail = tail;
        one->tail_length = PyTuple_Size(tail);
        if (one->width > widest)
            widest = one->width;
    }
    self->max_cells = (uint64_t)(max_bytes / widest);
    return 0;
}

PyDoc_STRVAR(reader_doc,
             "BoxReader(owners, context, array, domain, coordinate_width, attributes, max_bytes, array_type, integers)\n--\n\n"
             "Reads boxes of an open array by the addresses of its context and handle, whose owners it retains.");

static PyObject *reader_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    BoxReader *self;
    PyObject *owners, *domain, *attributes, *array_type, *integers;
    unsigned long long ctx, array;
    Py_ssize_t max_bytes;
    int width;

    if (library.query_alloc == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "connect() has not been called");
        return NULL;
    }
    if (keywords != NULL && PyDict_Size(keywords) != 0) {
        PyErr_SetString(PyExc_TypeError, "BoxReader takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "OKKO!iO!nOO", &owners, &ctx, &array, &PyTuple_Type, &domain, &width, &PyTuple_Type, &attributes, &max_bytes, &array_type, &integers))
        return NULL;
    if (ctx == 0 || array == 0 || (width != 1 && width != 2 && width != 4 && width != 8) || !PyFrozenSet_Check(integers)) {
        PyErr_SetString(PyExc_ValueError, "an address, a width of coordinates or a set of types is wrong");
        return NULL;
    }
    self = (BoxReader *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL)
        return NULL;
    Py_IncRef(owners);
    Py_IncRef(array_type);
    Py_IncRef(integers);
    self->owners = owners;
    self->array_type = array_type;
    self->integers = integers;
    self->ctx = (void *)(uintptr_t)ctx;
    self->array = (void *)(uintptr_t)array;
    self->coordinate_width = width;
    if (set_dimensions(self, domain) < 0 || set_attributes(self, attributes, max_bytes) < 0) {
        Py_DecRef((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

static void reader_dealloc(PyObject *object) {
    BoxReader *self = (BoxReader *)object;
    PyTypeObject *type = Py_TYPE(object);

    while (self->idle != NULL) {
        struct call *call = self->idle;
        self->idle = call->next;
        free_call(call);
    }
    for (Py_ssize_t at = 0; at < self->attribute_count; at++) {
        Py_DecRef(self->attributes[at].name);
        Py_DecRef(self->attributes[at].encoded);
        Py_DecRef(self->attributes[at].dtype);
        Py_DecRef(self->attributes[at].tail);
    }
    free(self->attributes);
    Py_DecRef(self->array_type);
    Py_DecRef(self->integers);
    /* After the subarrays, which are of the array. */
    Py_DecRef(self->owners);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DecRef((PyObject *)type);
}

static PyMethodDef reader_methods[] = {
    {"read", read_box, METH_O, read_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot reader_slots[] = {
    {Py_tp_doc, (void *)reader_doc},
    {Py_tp_new, reader_new},
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_methods, reader_methods},
    {0, NULL},
};

static PyType_Spec reader_spec = {"tiledb_rs._native._slices.BoxReader", sizeof(BoxReader), 0, Py_TPFLAGS_DEFAULT, reader_slots};

PyDoc_STRVAR(connect_doc,
             "connect(addresses, error, start_watcher, stop_watcher, get_signal, default_handler, main_thread)\n--\n\n"
             "Receives the addresses of the functions of the library, once, and what interrupts need of the package.");

static PyObject *connect(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *addresses, *objects[5], **places[5] = {&error_type, &start_watcher, &stop_watcher, &get_signal, &default_handler};
    void *found[FUNCTIONS];
    unsigned long main_thread;

    if (!PyArg_ParseTuple(arguments, "O!OOOOOk", &PyTuple_Type, &addresses, &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &main_thread))
        return NULL;
    if (library.query_alloc != NULL || PyTuple_Size(addresses) != (Py_ssize_t)FUNCTIONS) {
        PyErr_Format(PyExc_ValueError, "connect() takes %d addresses, once", (int)FUNCTIONS);
        return NULL;
    }
    for (size_t at = 0; at < FUNCTIONS; at++) {
        found[at] = PyLong_AsVoidPtr(PyTuple_GetItem(addresses, (Py_ssize_t)at));
        if (found[at] == NULL) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "the address of a function is 0");
            return NULL;
        }
    }
    if (interrupts.cancelling == NULL && (interrupts.cancelling = PyThread_allocate_lock()) == NULL)
        return PyErr_NoMemory();
    memcpy(&library, found, sizeof library);
    for (size_t at = 0; at < 5; at++) {
        Py_IncRef(objects[at]);
        *places[at] = objects[at];
    }
    interrupts.main_thread = main_thread;
    interrupts.process = getpid();
    return new_none();
}

static PyMethodDef methods[] = {
    {"after_fork", after_fork, METH_NOARGS, after_fork_doc},
    {"cancel", cancel, METH_NOARGS, cancel_doc},
    {"connect", connect, METH_VARARGS, connect_doc},
    {NULL, NULL, 0, NULL},
};

static int prepare(PyObject *module) {
    PyObject *type;
    int added;

    /* Static data and signals are those of the main interpreter. */
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError, "only the main interpreter can use this module");
        return -1;
    }
    if (nothing == NULL) {
        name_start = PyUnicode_InternFromString("start");
        name_stop = PyUnicode_InternFromString("stop");
        name_step = PyUnicode_InternFromString("step");
        interrupt_number = PyLong_FromLong(SIGINT);
        nothing = PyTuple_New(0);
        if (name_start == NULL || name_stop == NULL || name_step == NULL || interrupt_number == NULL || nothing == NULL)
            return -1;
    }
    type = PyType_FromSpec(&reader_spec);
    if (type == NULL)
        return -1;
    added = PyModule_AddObject(module, "BoxReader", type);
    if (added < 0)
        Py_DecRef(type);
    return added < 0 ? -1 : PyModule_AddIntConstant(module, "MAX_DIMENSIONS", MAX_DIMENSIONS);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, prepare},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_slices", "Reads boxes of dense arrays without the interpreter.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__slices(void) { return PyModuleDef_Init(&definition); }
