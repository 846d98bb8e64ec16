/** Who else a provider's models are said to be from, in front of their names: `z-ai/glm-5.3`, `models/gemini-2.5-pro`. */
const OWN_VENDORS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['anthropic'],
  openai: ['openai'],
  deepseek: ['deepseek', 'deepseek-ai'],
  minimax: ['minimax', 'minimaxai'],
  moonshot: ['moonshotai', 'moonshot'],
  zai: ['z-ai', 'zai', 'zai-org'],
  google: ['google', 'models'],
  vertex: ['google', 'models', 'publishers/google/models', 'publishers/anthropic/models'],
  xai: ['x-ai', 'xai'],
  mistral: ['mistralai', 'mistral'],
  qwen: ['qwen'],
  azure: ['azure', 'openai'],
};

/** Ends of a name on OpenRouter that choose among hosts, or how it thinks, at the model's own price (its docs, 2026-11). */
const ROUTES = /:(?:nitro|floor|exacto|thinking)$/;

/** `-20250929`, `-2025-08-07`, `@20250929`, `-0731`: a build of the model before it. */
const DATE =
  /[-@](?:20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|20\d\d-[01]\d-[0-3]\d|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$/;

/** `gemini-2.0-flash-001`: Google's way of naming a build. */
const GOOGLE_BUILD = /-00\d$/;

/** A name to look a model up by: small letters, without its own maker in front, without a choice of route. */
export function plainName(provider: string, model: string): string {
  const name = model.trim().toLowerCase();
  if (provider === 'openrouter') return name.replace(ROUTES, '');
  const vendor = (OWN_VENDORS[provider] ?? []).find((each) => name.startsWith(`${each}/`));
  return vendor === undefined ? name : name.slice(vendor.length + 1);
}

/** OpenRouter's own word for a route that nobody is charged for. */
export function isFreeRoute(provider: string, model: string): boolean {
  return provider === 'openrouter' && model.trim().toLowerCase().endsWith(':free');
}

/**
 * The model without the date of its build, and with one spelling of Claude's versions. Two names with the same base are
 * the same model; a longer name (`gpt-5-pro`) is another one than a shorter (`gpt-5`).
 */
export function baseName(provider: string, model: string): string {
  const name = plainName(provider, model).replace(DATE, '');
  const built = provider === 'google' || provider === 'vertex' ? name.replace(GOOGLE_BUILD, '') : name;
  return built.includes('claude-') ? built.replaceAll(/(\d)\.(\d)/g, '$1-$2') : built;
}

/**
 * Is it the same model under another of its names: as it was asked for, and as the endpoint calls it? A name that
 * stands for the newest build (`-latest`) is the build that came; two named builds are two models.
 */
export function isSameModel(provider: string, asked: string, answered: string): boolean {
  const [a, b] = [asked, answered].map((name) => baseName(provider, name).replace(/-latest$/, ''));
  const [one, other] = [asked, answered].map((name) => buildOf(provider, name));
  return a === b && (one === '' || other === '' || one === other);
}

/** The digits of the build a name is of; '' where it names none. */
function buildOf(provider: string, model: string): string {
  const name = plainName(provider, model);
  const isGoogle = provider === 'google' || provider === 'vertex';
  const [build = ''] = DATE.exec(name) ?? (isGoogle ? GOOGLE_BUILD.exec(name) : null) ?? [];
  return build.replaceAll(/\D/g, '');
}
