// The quick start through P/Invoke: nothing is installed but the library.

using System;
using System.Runtime.InteropServices;
using System.Text;

static class QuickstartDense
{
    const string Library = "libtiledb_rs.so.2.30";
    const int Int32 = 0, Dense = 0, RowMajor = 0, Read = 0, Write = 1;

    [DllImport(Library)] static extern int tiledb_ctx_alloc(IntPtr config, out IntPtr ctx);
    [DllImport(Library)] static extern void tiledb_ctx_free(ref IntPtr ctx);
    [DllImport(Library)] static extern int tiledb_ctx_get_last_error(IntPtr ctx, out IntPtr error);
    [DllImport(Library)] static extern int tiledb_error_message(IntPtr error, out IntPtr message);
    [DllImport(Library)] static extern void tiledb_error_free(ref IntPtr error);
    [DllImport(Library)] static extern int tiledb_dimension_alloc(IntPtr ctx, byte[] name, int type, int[] domain, ref int extent, out IntPtr dimension);
    [DllImport(Library)] static extern void tiledb_dimension_free(ref IntPtr dimension);
    [DllImport(Library)] static extern int tiledb_domain_alloc(IntPtr ctx, out IntPtr domain);
    [DllImport(Library)] static extern int tiledb_domain_add_dimension(IntPtr ctx, IntPtr domain, IntPtr dimension);
    [DllImport(Library)] static extern void tiledb_domain_free(ref IntPtr domain);
    [DllImport(Library)] static extern int tiledb_attribute_alloc(IntPtr ctx, byte[] name, int type, out IntPtr attribute);
    [DllImport(Library)] static extern void tiledb_attribute_free(ref IntPtr attribute);
    [DllImport(Library)] static extern int tiledb_array_schema_alloc(IntPtr ctx, int type, out IntPtr schema);
    [DllImport(Library)] static extern int tiledb_array_schema_set_domain(IntPtr ctx, IntPtr schema, IntPtr domain);
    [DllImport(Library)] static extern int tiledb_array_schema_add_attribute(IntPtr ctx, IntPtr schema, IntPtr attribute);
    [DllImport(Library)] static extern void tiledb_array_schema_free(ref IntPtr schema);
    [DllImport(Library)] static extern int tiledb_array_create(IntPtr ctx, byte[] uri, IntPtr schema);
    [DllImport(Library)] static extern int tiledb_array_alloc(IntPtr ctx, byte[] uri, out IntPtr array);
    [DllImport(Library)] static extern int tiledb_array_open(IntPtr ctx, IntPtr array, int type);
    [DllImport(Library)] static extern int tiledb_array_close(IntPtr ctx, IntPtr array);
    [DllImport(Library)] static extern void tiledb_array_free(ref IntPtr array);
    [DllImport(Library)] static extern int tiledb_subarray_alloc(IntPtr ctx, IntPtr array, out IntPtr subarray);
    [DllImport(Library)] static extern int tiledb_subarray_add_range(IntPtr ctx, IntPtr subarray, uint dimension, ref int first, ref int last, IntPtr stride);
    [DllImport(Library)] static extern void tiledb_subarray_free(ref IntPtr subarray);
    [DllImport(Library)] static extern int tiledb_query_alloc(IntPtr ctx, IntPtr array, int type, out IntPtr query);
    [DllImport(Library)] static extern int tiledb_query_set_layout(IntPtr ctx, IntPtr query, int layout);
    [DllImport(Library)] static extern int tiledb_query_set_subarray_t(IntPtr ctx, IntPtr query, IntPtr subarray);
    [DllImport(Library)] static extern int tiledb_query_set_data_buffer(IntPtr ctx, IntPtr query, byte[] name, IntPtr data, IntPtr size);
    [DllImport(Library)] static extern int tiledb_query_submit(IntPtr ctx, IntPtr query);
    [DllImport(Library)] static extern int tiledb_query_finalize(IntPtr ctx, IntPtr query);
    [DllImport(Library)] static extern void tiledb_query_free(ref IntPtr query);

    static IntPtr ctx;

    /// Names go to the library as UTF-8 that ends with a zero.
    static byte[] Text(string text) { return Encoding.UTF8.GetBytes(text + "\0"); }

    /// Throws the library's own words when a call fails.
    static void Check(int code)
    {
        if (code == 0)
            return;
        IntPtr error, message;
        if (tiledb_ctx_get_last_error(ctx, out error) != 0 || error == IntPtr.Zero)
            throw new Exception("TileDB: error " + code);
        tiledb_error_message(error, out message);
        string words = Marshal.PtrToStringAnsi(message);
        tiledb_error_free(ref error);
        throw new Exception("TileDB: " + words);
    }

    static void Create(string uri)
    {
        int[] range = { 1, 4 };
        int extent = 2;
        IntPtr rows, cols, domain, a, schema;
        Check(tiledb_dimension_alloc(ctx, Text("rows"), Int32, range, ref extent, out rows));
        Check(tiledb_dimension_alloc(ctx, Text("cols"), Int32, range, ref extent, out cols));
        Check(tiledb_domain_alloc(ctx, out domain));
        Check(tiledb_domain_add_dimension(ctx, domain, rows));
        Check(tiledb_domain_add_dimension(ctx, domain, cols));
        Check(tiledb_attribute_alloc(ctx, Text("a"), Int32, out a));
        Check(tiledb_array_schema_alloc(ctx, Dense, out schema));
        Check(tiledb_array_schema_set_domain(ctx, schema, domain));
        Check(tiledb_array_schema_add_attribute(ctx, schema, a));
        Check(tiledb_array_create(ctx, Text(uri), schema));
        tiledb_array_schema_free(ref schema);
        tiledb_attribute_free(ref a);
        tiledb_domain_free(ref domain);
        tiledb_dimension_free(ref cols);
        tiledb_dimension_free(ref rows);
    }

    /// Writes or reads the rows first to last of all columns, in row-major order. The library keeps the addresses of the
    /// cells and of their size until the query is freed, so both are pinned or outside the collected memory.
    static void Transfer(string uri, int type, int first, int last, int[] cells)
    {
        int left = 1, right = 4;
        IntPtr array, subarray, query;
        GCHandle pinned = GCHandle.Alloc(cells, GCHandleType.Pinned);
        IntPtr size = Marshal.AllocHGlobal(8);
        Marshal.WriteInt64(size, cells.Length * 4L);
        Check(tiledb_array_alloc(ctx, Text(uri), out array));
        Check(tiledb_array_open(ctx, array, type));
        Check(tiledb_subarray_alloc(ctx, array, out subarray));
        Check(tiledb_subarray_add_range(ctx, subarray, 0, ref first, ref last, IntPtr.Zero));
        Check(tiledb_subarray_add_range(ctx, subarray, 1, ref left, ref right, IntPtr.Zero));
        Check(tiledb_query_alloc(ctx, array, type, out query));
        Check(tiledb_query_set_layout(ctx, query, RowMajor));
        Check(tiledb_query_set_subarray_t(ctx, query, subarray));
        Check(tiledb_query_set_data_buffer(ctx, query, Text("a"), pinned.AddrOfPinnedObject(), size));
        Check(tiledb_query_submit(ctx, query));
        Check(tiledb_query_finalize(ctx, query));
        tiledb_query_free(ref query);
        tiledb_subarray_free(ref subarray);
        Check(tiledb_array_close(ctx, array));
        tiledb_array_free(ref array);
        Marshal.FreeHGlobal(size);
        pinned.Free();
    }

    static void Main()
    {
        int[] written = new int[16], read = new int[8];
        for (int i = 0; i < 16; i++)
            written[i] = i + 1;
        Check(tiledb_ctx_alloc(IntPtr.Zero, out ctx));
        Create("quickstart_dense");
        Transfer("quickstart_dense", Write, 1, 4, written);
        Transfer("quickstart_dense", Read, 2, 3, read);
        for (int row = 0; row < 2; row++)
            Console.WriteLine("row {0}: {1,2} {2,2} {3,2} {4,2}", row + 2, read[4 * row], read[4 * row + 1], read[4 * row + 2], read[4 * row + 3]);
        tiledb_ctx_free(ref ctx);
    }
}
