import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { VERSION } from '../src/job/version.ts';
import { BUILT, sourcesDigest } from '../src/notify/built.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles the entries so that nothing but `node` is needed to run them: a plugin installs nothing, and a runner
 * that works from its copy is not touched by an update. Returns the folder it wrote.
 */
export async function buildInto(outdir: string): Promise<string> {
  // Before: what is changed while it is built may be missing in it.
  const built = { version: VERSION, sources: sourcesDigest(root) };
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
    ...SMALL,
  });
  // Copied as a whole for each job's runner, so it is a folder of its own, and its modules say by their names what they
  // are. A protocol's library is read when a model that speaks it is asked.
  await build({
    absWorkingDir: root,
    entryPoints: { runner: 'src/runner/main.ts' },
    outdir: join(outdir, 'runner'),
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    ...MODULES,
  });
  // Each in one piece: they are the only files of ours in the worker's sandbox.
  await build({
    absWorkingDir: root,
    entryPoints: { files: 'src/workspace/files-helper/main.ts', inside: 'src/engine/claude/inside/main.ts' },
    outdir: join(outdir, 'runner'),
    ...MODULES,
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
  await writeFile(join(outdir, BUILT), `${JSON.stringify(built)}\n`);
  return outdir;
}

// Some dependencies are CommonJS and call require() for builtins; an ES module has none of its own.
const REQUIRE_FOR_BUNDLED_CJS =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** zod brings its messages in fifty languages, and nothing here ever asks for another one than English. */
export const ENGLISH_ALONE: Plugin = {
  name: 'english-alone',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Every process of ours reads its program anew: white space and comments were a quarter of the time that took. Names
 * stay, for the stack traces in a `runner.log`.
 */
const SMALL = { minifyWhitespace: true, minifySyntax: true, plugins: [ENGLISH_ALONE] };

const MODULES = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  outExtension: { '.js': '.mjs' },
  banner: { js: REQUIRE_FOR_BUNDLED_CJS },
  logLevel: 'warning',
  ...SMALL,
} satisfies BuildOptions;

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInto(`${root}dist`);
