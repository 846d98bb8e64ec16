import { settingsText } from './consent/bounds-file.ts';

/** What a session is told at its start about delegating. Pure but for reading the settings. */
export function modeContext(userDir: string): string {
  return MODE_WORDS[modeIn(settingsText(userDir))];
}

type Mode = keyof typeof MODE_WORDS;

const MODE_WORDS = {
  off: 'cc-delegate is switched off (mode off). Do not delegate and do not offer it; jobs can only be looked at.',
  ondemand:
    'cc-delegate (mode ondemand): delegate work to another model only when the user asks for it in their own words; do not offer it.',
  auto: 'cc-delegate (mode auto): you may delegate without being asked when the work is self-contained, cheap to verify by a command, and hungry for context (skill delegate-heavy-dev). Architecture, security, ambiguous work and the final review stay with you.',
} as const;

/** The one setting that a hook needs without the program: a plain line at the left margin, as the program writes it. */
function modeIn(text: string): Mode {
  const found = /^mode:[ \t]*["']?(off|ondemand|auto)["']?[ \t]*(?:#.*)?$/m.exec(text)?.[1];
  return found === 'off' || found === 'auto' ? found : 'ondemand';
}
