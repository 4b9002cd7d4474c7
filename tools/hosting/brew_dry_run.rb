# Loads the formula for Homebrew with classes of our own in place of Homebrew's, and runs its installation against them: the files that
# it installs are recorded, and each script that it runs must be executable in the sources.
# usage: ruby brew_dry_run.rb FORMULA SOURCES SHA256
require "pathname"

$sources = Pathname(ARGV[1])
$ran = []

class Place
  def install(*files) = $ran.concat(files.flatten.map(&:to_s))
  def /(other) = other
end

class Formula
  @fields = {}
  class << self
    attr_reader :fields
    def inherited(other) = other.instance_variable_set(:@fields, {})
    %i[desc homepage url sha256 license].each { |name| define_method(name) { |value| @fields[name] = value } }
    def depends_on(what) = (@fields[:depends_on] ||= []) << what
    def test(&block) = @fields[:test] = block
    def [](_name) = new
  end
  def opt_prefix = "/opt/homebrew/opt/openssl@3"
  def prefix = "/opt/homebrew/Cellar/tiledb-rs"
  %i[bin man1 bash_completion zsh_completion fish_completion].each { |name| define_method(name) { Place.new } }
  def system(program, *_arguments)
    raise "#{program} is no program of the sources" unless ($sources / program).executable?
    $ran << program
  end
end

load ARGV[0]
formula = ObjectSpace.each_object(Class).find { |other| other < Formula }
fields = formula.fields
%i[desc homepage url sha256 license test].each { |name| raise "#{name} is missing" unless fields[name] }
raise "desc has more than 80 characters or begins with an article" if fields[:desc].length > 80 || fields[:desc] =~ /\A(A|An|The) /
raise "sha256 is #{fields[:sha256]}" unless fields[:sha256] == ARGV[2]
formula.new.install
raise "the tool is not installed" unless $ran.include?("build/tool/bin/tiledb-rs")
puts "homebrew: #{formula} loads, runs #{$ran.grep(/\.sh/).join(", ")} and installs #{$ran.grep_v(/\.sh/).length} files"
