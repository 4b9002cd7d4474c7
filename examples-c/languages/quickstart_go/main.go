// The quick start with a dense array, from Go through cgo: nothing is installed but the library.
package main

/*
#cgo pkg-config: tiledb_rs
#include <stdlib.h>
#include <tiledb/tiledb.h>
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

const uri = "quickstart_dense"

var ctx *C.tiledb_ctx_t

// check ends the program with the library's own words when a call fails.
func check(code C.int32_t) {
	if code == C.TILEDB_OK {
		return
	}
	message := "unknown error"
	var failure *C.tiledb_error_t
	var text *C.char
	if C.tiledb_ctx_get_last_error(ctx, &failure) == C.TILEDB_OK && failure != nil {
		if C.tiledb_error_message(failure, &text) == C.TILEDB_OK {
			message = C.GoString(text)
		}
		C.tiledb_error_free(&failure)
	}
	fmt.Fprintln(os.Stderr, "TileDB:", message)
	os.Exit(1)
}

// text is a string in C's memory, for as long as the program runs.
func text(s string) *C.char { return C.CString(s) }

// create makes a 4 x 4 array of 32-bit integers in tiles of 2 x 2.
func create() {
	limits, extent := [2]C.int32_t{1, 4}, C.int32_t(2)
	var domain *C.tiledb_domain_t
	check(C.tiledb_domain_alloc(ctx, &domain))
	defer C.tiledb_domain_free(&domain)
	for _, name := range []string{"rows", "cols"} {
		var dimension *C.tiledb_dimension_t
		check(C.tiledb_dimension_alloc(ctx, text(name), C.TILEDB_INT32, unsafe.Pointer(&limits), unsafe.Pointer(&extent), &dimension))
		check(C.tiledb_domain_add_dimension(ctx, domain, dimension))
		C.tiledb_dimension_free(&dimension)
	}
	var a *C.tiledb_attribute_t
	check(C.tiledb_attribute_alloc(ctx, text("a"), C.TILEDB_INT32, &a))
	defer C.tiledb_attribute_free(&a)
	var schema *C.tiledb_array_schema_t
	check(C.tiledb_array_schema_alloc(ctx, C.TILEDB_DENSE, &schema))
	defer C.tiledb_array_schema_free(&schema)
	check(C.tiledb_array_schema_set_domain(ctx, schema, domain))
	check(C.tiledb_array_schema_add_attribute(ctx, schema, a))
	check(C.tiledb_array_create(ctx, text(uri), schema))
}

// transfer writes cells to the rows first to last, or reads them, all columns in row-major order.
func transfer(kind C.tiledb_query_type_t, first, last C.int32_t, cells []C.int32_t) {
	// The library keeps the addresses of a query's buffer and of its size until the query is freed, so neither may be
	// Go's: they are in C's memory (from Go 1.21 on, a runtime.Pinner would do too).
	bytes := C.size_t(len(cells)) * C.sizeof_int32_t
	buffer := C.malloc(bytes)
	defer C.free(buffer)
	shared := unsafe.Slice((*C.int32_t)(buffer), len(cells))
	copy(shared, cells)
	size := (*C.uint64_t)(C.malloc(C.sizeof_uint64_t))
	defer C.free(unsafe.Pointer(size))
	*size = C.uint64_t(bytes)

	var array *C.tiledb_array_t
	check(C.tiledb_array_alloc(ctx, text(uri), &array))
	defer C.tiledb_array_free(&array)
	check(C.tiledb_array_open(ctx, array, kind))
	var subarray *C.tiledb_subarray_t
	check(C.tiledb_subarray_alloc(ctx, array, &subarray))
	defer C.tiledb_subarray_free(&subarray)
	cols := [2]C.int32_t{1, 4}
	check(C.tiledb_subarray_add_range(ctx, subarray, 0, unsafe.Pointer(&first), unsafe.Pointer(&last), nil))
	check(C.tiledb_subarray_add_range(ctx, subarray, 1, unsafe.Pointer(&cols[0]), unsafe.Pointer(&cols[1]), nil))
	var query *C.tiledb_query_t
	check(C.tiledb_query_alloc(ctx, array, kind, &query))
	defer C.tiledb_query_free(&query)
	check(C.tiledb_query_set_layout(ctx, query, C.TILEDB_ROW_MAJOR))
	check(C.tiledb_query_set_subarray_t(ctx, query, subarray))
	check(C.tiledb_query_set_data_buffer(ctx, query, text("a"), buffer, size))
	check(C.tiledb_query_submit(ctx, query))
	check(C.tiledb_query_finalize(ctx, query))
	check(C.tiledb_array_close(ctx, array))
	copy(cells, shared)
}

func main() {
	check(C.tiledb_ctx_alloc(nil, &ctx))
	defer C.tiledb_ctx_free(&ctx)
	create()
	var written [16]C.int32_t
	for i := range written {
		written[i] = C.int32_t(i + 1)
	}
	transfer(C.TILEDB_WRITE, 1, 4, written[:])
	var read [8]C.int32_t
	transfer(C.TILEDB_READ, 2, 3, read[:])
	for row := 0; row < 2; row++ {
		c := read[4*row:]
		fmt.Printf("row %d: %2d %2d %2d %2d\n", row+2, c[0], c[1], c[2], c[3])
	}
}
