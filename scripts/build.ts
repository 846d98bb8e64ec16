import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles each entry into one self-contained file: a plugin needs nothing but `node`, and a runner that
 * works from its copy is not touched by an update. Returns the folder it wrote.
 */
export async function buildInto(outdir: string): Promise<string> {
  await rm(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    chunkNames: 'chunks/[name]-[hash]',
    banner: { js: REQUIRE_FOR_BUNDLED_CJS },
    logLevel: 'warning',
  });
  await build({
    absWorkingDir: root,
    entryPoints: { runner: 'src/runner/main.ts', files: 'src/workspace/files-helper/main.ts' },
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    banner: { js: REQUIRE_FOR_BUNDLED_CJS },
    logLevel: 'warning',
  });
  // Started for every prompt: one file with nothing but builtins in it, CommonJS because that starts faster, and old
  // enough a form that an old node can say that it is too old.
  await build({
    absWorkingDir: root,
    entryPoints: { hook: 'src/notify/hook/main.ts', 'policy-hook': 'src/notify/hook/policy-main.ts' },
    outdir,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node14.18',
    outExtension: { '.js': '.cjs' },
    minify: true,
    logLevel: 'warning',
  });
  return outdir;
}

// Some dependencies are CommonJS and call require() for builtins; an ES module has none of its own.
const REQUIRE_FOR_BUNDLED_CJS =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInto(`${root}dist`);
