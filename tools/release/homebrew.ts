/**
 * The Homebrew formula of a release: the executable on Linux, the npm package with Homebrew's Node on macOS.
 * It belongs in a tap, as `Formula/plaza.rb`.
 */
import type { Target } from "./executable.ts";
import type { Release } from "./preconditions.ts";

export const formulaName = "plaza.rb";

/** Homebrew's words for the processors of executables. */
const processors: Readonly<Record<Target, string>> = { "linux-x64": "on_intel", "linux-arm64": "on_arm" };

export interface FormulaParts {
  readonly release: Release;
  /** Where the release's files are published, without a slash at the end. */
  readonly url: string;
  /** The npm package: its file and checksum. */
  readonly npmPackage: { readonly name: string; readonly sha256: string };
  /** Executables by target. */
  readonly executables: ReadonlyMap<Target, { readonly name: string; readonly sha256: string }>;
}

function linux({ url, executables }: FormulaParts): string {
  const blocks = [...executables].map(
    ([target, { name, sha256 }]) => `    ${processors[target]} do
      url "${url}/${name}"
      sha256 "${sha256}"
    end
`,
  );
  return blocks.length === 0 ? "" : `\n  on_linux do\n${blocks.join("\n")}  end\n`;
}

/** Returns the formula as Ruby. */
export function formula(parts: FormulaParts): string {
  const { release, url, npmPackage } = parts;
  return `class Plaza < Formula
  desc "Self-hosted model gateway for the clients of OpenAI, Anthropic and Google"
  homepage "${url}"
  version "${release.version}"
  license "Apache-2.0"

  on_macos do
    url "${url}/${npmPackage.name}"
    sha256 "${npmPackage.sha256}"
    depends_on "node"
  end
${linux(parts)}
  def install
    if OS.mac?
      system "npm", "install", *std_npm_args
      bin.install_symlink libexec.glob("bin/*")
    else
      bin.install Dir["plaza-*"].first => "plaza"
    end
    (var/"plaza").mkpath
  end

  service do
    run [opt_bin/"plaza", "serve"]
    environment_variables PLAZA_DATA_DIR: var/"plaza"
    working_dir var/"plaza"
    keep_alive true
    log_path var/"log/plaza.log"
    error_log_path var/"log/plaza.log"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/plaza --version").strip
    port = free_port
    pid = spawn bin/"plaza", "serve", "--port", port.to_s, "--data", testpath/"data"
    begin
      system "curl", "--silent", "--fail", "--retry", "20", "--retry-connrefused", "http://127.0.0.1:#{port}/readyz"
    ensure
      Process.kill "TERM", pid
      Process.wait pid
    end
  end
end
`;
}
