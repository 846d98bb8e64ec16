import { permissionMode } from '../../job/permission-mode.ts';
import { toolName } from '../../job/task.ts';
import { freeTools } from '../../job/tool-rules.ts';
import type { ClaudeOptions } from './options.ts';
import { PROGRAMS } from './place.ts';

/** The files the client is started with, and its conversation. */
export interface ClientStart {
  readonly settingsFile: string;
  readonly systemFile: string;
  /** null: there are no sub-agents. */
  readonly agentsFile: string | null;
  readonly session: { readonly id: string; readonly resume: boolean };
  /** The name the gateway knows as the primary. */
  readonly model: string;
}

type ArgvOptions = Pick<
  ClaudeOptions,
  'tools' | 'allowTools' | 'denyTools' | 'permissionMode' | 'addDirs' | 'maxTurns' | 'prompt'
>;

/**
 * The client's arguments. The prompt is not among them: it comes by stdin. What a person typed is bound to its
 * option by `=`, so that none of it can be taken for an option.
 */
export function clientArgv(options: ArgvOptions, start: ClientStart): string[] {
  const tools = offeredTools(options);
  const { mode, allowed } = permissions(options, tools);
  return [
    '-p',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    '--replay-user-messages',
    // No settings, hooks, plugins, servers and skills but ours.
    ...['--setting-sources', '', '--strict-mcp-config', '--disable-slash-commands'],
    ...['--settings', start.settingsFile],
    ...[options.prompt === 'slim' ? '--system-prompt-file' : '--append-system-prompt-file', start.systemFile],
    ...(start.agentsFile === null ? [] : ['--agents', start.agentsFile]),
    `--tools=${tools.join(',')}`,
    ...(allowed.length === 0 ? [] : [`--allowedTools=${allowed.join(',')}`]),
    ...(options.denyTools.length === 0 ? [] : [`--disallowedTools=${options.denyTools.join(',')}`]),
    ...['--permission-mode', mode],
    ...options.addDirs.map((folder) => `--add-dir=${folder}`),
    ...[start.session.resume ? '--resume' : '--session-id', start.session.id],
    // Else a resumed conversation keeps the system prompt it began with (2.1.332), its old restrictions too.
    ...(start.session.resume ? ['--system-prompt-snapshot', 'off'] : []),
    `--model=${start.model}`,
    `--max-turns=${options.maxTurns}`,
  ];
}

/**
 * What there is at all: a tool that no rule allows is not offered, as in the other engine, unless the mode allows it
 * without one.
 */
export function offeredTools({
  tools,
  allowTools,
  permissionMode: mode,
}: Pick<ArgvOptions, 'tools' | 'allowTools' | 'permissionMode'>): string[] {
  if (allowTools.length === 0) return [...tools];
  const named = new Set(allowTools.map(toolOf));
  const free = freeTools(permissionMode(mode ?? '')) ?? [];
  return tools.filter((tool) => named.has(tool) || free.includes(toolName(tool) ?? ''));
}

/** `Bash` of `Bash(git log *)`. */
export function toolOf(rule: string): string {
  const open = rule.indexOf('(');
  return (open < 0 ? rule : rule.slice(0, open)).trim();
}

/**
 * Nobody is there to be asked. Without a word about permissions the sandbox is the wall, and nothing else is one; with
 * a list of what is allowed, what is not on it is denied, in modes too that would not look at the list. In all of them
 * the supervisor can be reached, and no rule lets a plan be more than one.
 */
function permissions(options: ArgvOptions, tools: readonly string[]): { mode: string; allowed: string[] } {
  const { permissionMode: mode, allowTools } = options;
  const programs = tools.includes('Bash') ? PROGRAMS.map((name) => `Bash(${name}:*)`) : [];
  if (mode === 'plan') return { mode, allowed: programs };
  if (mode !== null && freeTools(permissionMode(mode)) !== null)
    return { mode, allowed: [...allowTools, ...programs] };
  if (allowTools.length > 0) return { mode: 'dontAsk', allowed: [...allowTools, ...programs] };
  if (mode === 'auto') return { mode, allowed: programs };
  return { mode: 'bypassPermissions', allowed: [...tools] };
}
