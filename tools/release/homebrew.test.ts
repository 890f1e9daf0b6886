import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { formula } from "./homebrew.ts";

const release = { version: "1.2.3", commit: "abc", isDirty: false, time: new Date(0), changes: "" };
const sums = ["1", "2", "3"].map((digit) => digit.repeat(64));
const text = formula({
  release,
  url: "https://example.com/releases/1.2.3",
  npmPackage: { name: "plaza-gateway-1.2.3.tgz", sha256: sums[0] as string },
  executables: new Map([
    ["linux-x64", { name: "plaza-1.2.3-linux-x64", sha256: sums[1] as string }],
    ["linux-arm64", { name: "plaza-1.2.3-linux-arm64", sha256: sums[2] as string }],
  ]),
});

/** As much of Homebrew as says what the formula would load on a machine; prints it. */
const homebrew = `
class Formula
  class << self
    def system_is(*words) = @system = words
    %i[desc homepage version license test].each { |name| define_method(name) { |*| } }
    %i[on_macos on_linux on_intel on_arm].each do |name|
      define_method(name) { |&block| block.call if @system.include?(name) }
    end
    def inherited(formula) = formula.system_is(*ARGV.map(&:to_sym))
    def url(text) = puts("url #{text}")
    def sha256(text) = puts("sha256 #{text}")
    def depends_on(name) = puts("depends_on #{name}")
    def service(&block) = Service.new.instance_eval(&block)
  end
end
class Folder
  def /(name) = "folder/#{name}"
end
class Service
  def opt_bin = Folder.new
  def var = Folder.new
  def run(words) = puts("run #{words.join(" ")}")
  %i[environment_variables working_dir keep_alive log_path error_log_path].each { |name| define_method(name) { |*| } }
end
eval($stdin.read)
`;

function onSystem(...words: string[]): string[] | undefined {
  const { error, status, stdout, stderr } = spawnSync("ruby", ["-e", homebrew, "--", ...words], {
    input: text,
    encoding: "utf8",
  });
  if (error !== undefined) return undefined;
  assert.equal(status, 0, stderr);
  return stdout.trim().split("\n");
}

test("the formula has the file and checksum of each system", () => {
  const blocks = [...text.matchAll(/(on_\w+) do\n\s+url "(\S+)"\n\s+sha256 "(\w+)"/g)].map((found) =>
    found.slice(1),
  );
  const url = "https://example.com/releases/1.2.3";
  assert.deepEqual(blocks, [
    ["on_macos", `${url}/plaza-gateway-1.2.3.tgz`, sums[0]],
    ["on_intel", `${url}/plaza-1.2.3-linux-x64`, sums[1]],
    ["on_arm", `${url}/plaza-1.2.3-linux-arm64`, sums[2]],
  ]);
});

test("the formula is Ruby, and says what to load and to run", (context) => {
  const mac = onSystem("on_macos", "on_arm");
  if (mac === undefined) return context.skip("there is no Ruby here (Debian: apt-get install ruby)");
  const url = "https://example.com/releases/1.2.3";
  const run = "run folder/plaza serve";
  assert.deepEqual(mac, [`url ${url}/plaza-gateway-1.2.3.tgz`, `sha256 ${sums[0]}`, "depends_on node", run]);
  assert.deepEqual(onSystem("on_linux", "on_intel"), [
    `url ${url}/plaza-1.2.3-linux-x64`,
    `sha256 ${sums[1]}`,
    run,
  ]);
  assert.deepEqual(onSystem("on_linux", "on_arm"), [
    `url ${url}/plaza-1.2.3-linux-arm64`,
    `sha256 ${sums[2]}`,
    run,
  ]);
});
