# A formula for Homebrew; tools/hosting/fill.sh fills in what stands between @.
class TiledbRs < Formula
  desc "Array storage engine in Rust behind TileDB's C interface"
  homepage "@REPOSITORY@"
  url "@SOURCE@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "rust" => :build
  depends_on "pkgconf" => :build
  depends_on "openssl@3"

  def install
    ENV["OPENSSL_DIR"] = Formula["openssl@3"].opt_prefix
    system "tools/build_library.sh", "build/lib"
    system "tools/install.sh", "build/lib", prefix
    system "tools/build_tool.sh", "build/tool"
    bin.install "build/tool/bin/tiledb-rs"
    man1.install Dir["build/tool/share/man/man1/*"]
    bash_completion.install "build/tool/share/bash-completion/completions/tiledb-rs"
    zsh_completion.install "build/tool/share/zsh/site-functions/_tiledb-rs"
    fish_completion.install "build/tool/share/fish/vendor_completions.d/tiledb-rs.fish"
  end

  test do
    (testpath/"numbers.csv").write "x,value\n1,10\n2,20\n"
    system bin/"tiledb-rs", "import", "numbers.csv", "numbers"
    assert_match "20", shell_output("#{bin}/tiledb-rs cat numbers")
  end
end
