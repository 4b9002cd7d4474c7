/* Plans of consolidations: what to merge, as nodes and as JSON, and the merge of what a node names. */
#include "arrays.h"

#define ARRAY "planned"

static tiledb_consolidation_plan_t* plan(tiledb_array_t* array, uint64_t size) {
  tiledb_consolidation_plan_t* plan = NULL;
  assert(tiledb_consolidation_plan_create_with_mbr(ctx, array, size, &plan) == TILEDB_OK);
  return plan;
}

static uint64_t nodes(tiledb_consolidation_plan_t* plan) {
  uint64_t count = 77;
  assert(tiledb_consolidation_plan_get_num_nodes(ctx, plan, &count) == TILEDB_OK);
  return count;
}

static const char* fragment(tiledb_consolidation_plan_t* plan, uint64_t node, uint64_t index) {
  const char* name = NULL;
  assert(tiledb_consolidation_plan_get_fragment_uri(ctx, plan, node, index, &name) == TILEDB_OK);
  return name;
}

/* Two fragments of the same cells are the first node; a third one, far away, is large enough to be divided. */
static void is_planned(tiledb_array_t* array) {
  tiledb_consolidation_plan_t* both = plan(array, 1);
  uint64_t count = 77;
  const char* name = NULL;
  char *json = NULL, expected[600];
  assert(nodes(both) == 2);
  assert(tiledb_consolidation_plan_get_num_fragments(ctx, both, 0, &count) == TILEDB_OK && count == 2);
  assert(tiledb_consolidation_plan_get_num_fragments(ctx, both, 1, &count) == TILEDB_OK && count == 1);
  assert(strncmp(fragment(both, 0, 0), "__1_1_", 6) == 0 && strncmp(fragment(both, 0, 1), "__2_2_", 6) == 0);
  assert(strncmp(fragment(both, 1, 0), "__3_3_", 6) == 0);
  snprintf(
      expected, sizeof expected,
      "{\n  \"nodes\": [\n"
      "    {\n      \"uris\" : [\n        {\n           \"uri\" : \"%s\"\n        },\n"
      "        {\n           \"uri\" : \"%s\"\n        }\n      ]\n    },\n"
      "    {\n      \"uris\" : [\n        {\n           \"uri\" : \"%s\"\n        }\n      ]\n    }\n  ]\n}\n",
      fragment(both, 0, 0), fragment(both, 0, 1), fragment(both, 1, 0));
  assert(tiledb_consolidation_plan_dump_json_str(ctx, both, &json) == TILEDB_OK && strcmp(json, expected) == 0);
  assert(tiledb_consolidation_plan_free_json_str(&json) == TILEDB_OK && json == NULL);
  assert(tiledb_consolidation_plan_get_fragment_uri(ctx, both, 0, 2, &name) == TILEDB_ERR && name == NULL);
  expect("Error: ConsolidationPlan: Trying to access a fragment that doesn't exist. 2 is not below 2");
  assert(tiledb_consolidation_plan_get_num_fragments(ctx, both, 2, &count) == TILEDB_ERR);
  expect("Error: ConsolidationPlan: Trying to access a node that doesn't exist. 2 is not below 2");
  assert(tiledb_consolidation_plan_get_fragment_uri(ctx, both, 2, 0, &name) == TILEDB_ERR);
  expect("Error: ConsolidationPlan: Trying to access a node that doesn't exist. 2 is not below 2");
  tiledb_consolidation_plan_free(&both);
  assert(both == NULL);
}

/* The fragments of a node are handed to the consolidation as they are named. */
static void is_carried_out(tiledb_array_t* array) {
  tiledb_consolidation_plan_t* both = plan(array, 1);
  const char* names[] = {fragment(both, 0, 0), fragment(both, 0, 1)};
  int32_t a[100];
  assert(tiledb_array_consolidate_fragments(ctx, ARRAY, names, 2, NULL) == TILEDB_OK);
  tiledb_consolidation_plan_free(&both);
  assert(fragments(ARRAY) == 2);
  assert(read_cells(ARRAY, 0, 1, 100, a) == 26);
  for (int32_t i = 0; i < 26; i++)
    assert(a[i] == (i < 4 ? i + 1 : i < 15 ? 2 * (i + 1) : 3 * (i + 75)));
}

int main(void) {
  tiledb_array_t* array = NULL;
  tiledb_consolidation_plan_t* none = NULL;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array(ARRAY, TILEDB_SPARSE);
  array = open_array(ARRAY, TILEDB_READ, 0);
  none = plan(array, 1000);
  assert(nodes(none) == 0);
  tiledb_consolidation_plan_free(&none);
  close_array(&array);
  write_cells(ARRAY, TILEDB_SPARSE, 1, 1, 10, 1);
  write_cells(ARRAY, TILEDB_SPARSE, 2, 5, 15, 2);
  write_cells(ARRAY, TILEDB_SPARSE, 3, 90, 100, 3);
  array = open_array(ARRAY, TILEDB_READ, 0);
  is_planned(array);
  is_carried_out(array);
  close_array(&array);
  tiledb_ctx_free(&ctx);
  return 0;
}
