/** What the client's environment is made of. Durations in milliseconds, sizes in tokens. */
export interface ClientSurroundings {
  /** Where the client finds the gateway; the real port is known only when it is started. */
  readonly baseUrl: string;
  /** Of this run alone; good for nothing but its gateway. */
  readonly token: string;
  /** The private configuration folder, below the private home. */
  readonly configFolder: string;
  /** The names the client asks for; the gateway knows what they mean. */
  readonly models: { readonly main: string; readonly small: string; readonly subAgents: string };
  readonly commandTimeoutMs: number;
  /** The longest a command may take, those included that wait for the supervisor. */
  readonly longestCommandMs: number;
  /** null: not known; the client goes by what it is told when the context is full. */
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
  /** How often the client asks again when an answer broke off. What was refused, the gateway has asked for again. */
  readonly retries: number;
}

/** An answer to `ask_supervisor` may come at the last moment; its way back is not in the time for it. */
const ANSWER_MARGIN_MS = 30_000;

/** How long a command of the worker's that waits for its supervisor may take. Milliseconds. */
export function answerMs({ askTimeoutMs }: { readonly askTimeoutMs: number }): number {
  return askTimeoutMs + ANSWER_MARGIN_MS;
}

/** The longest that any command of the worker's may take. Milliseconds. */
export function longestOf(of: { readonly longestCommandMs: number; readonly askTimeoutMs: number }): number {
  return Math.max(of.longestCommandMs, answerMs(of));
}

/** The gateway may wait for a person who raises a budget: the client never gives up first. */
const NEVER_MS = 24 * 60 * 60 * 1000;
/** Below it the client takes no window for its own compaction (2.1.332). */
const LEAST_COMPACT_WINDOW = 100_000;

/**
 * What the client of a job gets beside the sandbox's own environment, whole: nothing of it is taken from the
 * supervisor's. There is no provider's key in it. Each switch was looked at with the client 2.1.332.
 */
export function clientEnvironment(of: ClientSurroundings): Record<string, string> {
  const { models } = of;
  return {
    CC_DELEGATE_WORKER: '1',
    CLAUDE_CONFIG_DIR: of.configFolder,
    ANTHROPIC_BASE_URL: of.baseUrl,
    ANTHROPIC_AUTH_TOKEN: of.token,
    // Set and empty: a key from anywhere else would be used in place of the token.
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_MODEL: models.main,
    ANTHROPIC_DEFAULT_OPUS_MODEL: models.main,
    ANTHROPIC_DEFAULT_SONNET_MODEL: models.main,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: models.small,
    ANTHROPIC_SMALL_FAST_MODEL: models.small,
    CLAUDE_CODE_SUBAGENT_MODEL: models.subAgents,
    BASH_DEFAULT_TIMEOUT_MS: String(of.commandTimeoutMs),
    BASH_MAX_TIMEOUT_MS: String(of.longestCommandMs),
    API_TIMEOUT_MS: String(NEVER_MS),
    CLAUDE_CODE_MAX_RETRIES: String(of.retries),
    ...(of.maxOutput === null ? {} : { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(of.maxOutput) }),
    ...(of.contextWindow === null || of.contextWindow < LEAST_COMPACT_WINDOW
      ? {}
      : { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(of.contextWindow) }),
    ...SWITCHES,
  };
}

const SWITCHES = {
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // Leaves out fields and headers that endpoints other than Anthropic's refuse.
  CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
  // The rest of an answer that broke off is asked for as a stream again: only that is read as it comes.
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  // Silence in mid-answer is our own watchdog's to judge: without both the client ends its run after 300 s of it, with
  // both 340 s of it did not (2.1.332).
  CLAUDE_ENABLE_STREAM_WATCHDOG: '0',
  CLAUDE_ENABLE_BYTE_WATCHDOG: '0',
  // A command ends with its turn, as the sandbox has it; and a time-out ends it, it does not live on unseen.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  // No memory beyond the conversation, and no words about git that are not ours.
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1',
  CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
  // As root the client refuses to work without asking, unless it is told that it is held.
  IS_SANDBOX: '1',
} as const;
