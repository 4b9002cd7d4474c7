/* Files through streams: the same code for local files and, by another URI, for object stores. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <algorithm>
#include <iostream>
#include <string>

int main() {
  const tiledb::Context ctx;
  const tiledb::VFS vfs(ctx);
  vfs.create_dir("notes");

  // A buffer for the file makes an ordinary stream.
  tiledb::VFS::filebuf buffer(vfs);
  buffer.open("notes/shopping.txt", std::ios::out);
  std::ostream out(&buffer);
  out << "bread " << 2 << "\nmilk " << 1 << "\n";
  // Closing tells whether all of it was stored.
  if (!out || buffer.close() == nullptr)
    return 1;
  buffer.open("notes/shopping.txt", std::ios::app);
  out << "apples " << 6 << "\n";
  buffer.close();

  buffer.open("notes/shopping.txt", std::ios::in);
  std::istream in(&buffer);
  std::string what;
  int count = 0, total = 0;
  while (in >> what >> count) {
    std::cout << count << " x " << what << "\n";
    total += count;
  }
  std::cout << total << " things to buy\n";
  in.clear();
  in.seekg(-9, std::ios::end);
  std::getline(in, what);
  std::cout << "the last line: " << what << "\n";
  buffer.close();

  vfs.copy_file("notes/shopping.txt", "notes/copy.txt");
  vfs.create_dir("notes/old");
  vfs.move_file("notes/copy.txt", "notes/old/shopping.txt");
  vfs.touch("notes/empty.txt");
  auto files = tiledb::VFSExperimental::ls_recursive_filter_v2(
      ctx, vfs, "notes", [](std::string_view, uint64_t, bool is_dir) { return !is_dir; });
  std::sort(files.begin(), files.end());
  for (const auto& [path, size] : files)
    std::cout << path.substr(path.rfind("notes")) << ": " << size << " bytes\n";
  std::cout << vfs.ls("notes").size() << " entries, " << vfs.dir_size("notes") << " bytes in all\n";
  vfs.remove_dir("notes");
  std::cout << "removed: " << (vfs.is_dir("notes") ? "no" : "yes") << "\n";

  if (buffer.open("notes/shopping.txt", std::ios::in) == nullptr)
    std::cout << "a file that is not there does not open\n";
}
