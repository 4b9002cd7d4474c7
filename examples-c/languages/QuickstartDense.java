// The quick start through TileDB-Java, on whichever libtiledb 2.30 the system finds.

import static io.tiledb.java.api.Layout.TILEDB_ROW_MAJOR;
import static io.tiledb.java.api.QueryType.TILEDB_READ;
import static io.tiledb.java.api.QueryType.TILEDB_WRITE;

import io.tiledb.java.api.*;

public class QuickstartDense {
  private static final String URI = "quickstart_dense";

  private static void create(Context ctx) throws TileDBError {
    try (Dimension<Integer> rows = new Dimension<>(ctx, "rows", Integer.class, new Pair<>(1, 4), 2);
        Dimension<Integer> cols = new Dimension<>(ctx, "cols", Integer.class, new Pair<>(1, 4), 2);
        Domain domain = new Domain(ctx);
        Attribute a = new Attribute(ctx, "a", Integer.class);
        ArraySchema schema = new ArraySchema(ctx, ArrayType.TILEDB_DENSE)) {
      domain.addDimension(rows).addDimension(cols);
      schema.setDomain(domain);
      schema.addAttribute(a);
      Array.create(URI, schema);
    }
  }

  /**
   * Writes or reads the rows first to last of all columns, in row-major order, and returns the cells. A query frees the
   * buffers it was given when it is closed, so they are copied out before.
   */
  private static int[] transfer(Context ctx, QueryType type, int first, int last, NativeArray cells) throws TileDBError {
    try (Array array = new Array(ctx, URI, type);
        SubArray box = new SubArray(ctx, array);
        Query query = new Query(array, type)) {
      box.addRange(0, first, last, null).addRange(1, 1, 4, null);
      query.setLayout(TILEDB_ROW_MAJOR).setSubarray(box).setDataBuffer("a", cells);
      query.submit();
      query.finalizeQuery();
      return (int[]) cells.toJavaArray();
    }
  }

  public static void main(String[] arguments) throws TileDBError {
    int[] numbers = new int[16];
    for (int i = 0; i < 16; i++) numbers[i] = i + 1;
    try (Context ctx = new Context()) {
      create(ctx);
      transfer(ctx, TILEDB_WRITE, 1, 4, new NativeArray(ctx, numbers, Integer.class));
      int[] cells = transfer(ctx, TILEDB_READ, 2, 3, new NativeArray(ctx, 8, Integer.class));
      for (int row = 0; row < 2; row++) {
        System.out.printf("row %d:", row + 2);
        for (int col = 0; col < 4; col++) System.out.printf(" %2d", cells[4 * row + col]);
        System.out.println();
      }
    }
  }
}
