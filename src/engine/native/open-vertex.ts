import { createVertex } from '@ai-sdk/google-vertex/edge';
import type { CloudAccess } from '../../provider/access.ts';
import { requestBase } from '../../provider/base-url.ts';
import type { ModelRef } from '../engine.ts';
import { modelFetch } from '../http/fetch.ts';
import { accountTokens, TOKEN_URL } from './google-token.ts';
import { NO_KEY, type Opened } from './models.ts';

/** Gemini on Vertex AI, with a key or as a service account. `tokenUrl`: where an account gets its tokens. */
export function openVertex(
  ref: ModelRef,
  { account }: Extract<CloudAccess, { kind: 'vertex' }>,
  tokenUrl: string = TOKEN_URL,
): Opened {
  const token = account === null ? null : accountTokens(account, tokenUrl);
  const provider = createVertex({
    baseURL: requestBase(ref.baseUrl, ref.api),
    // With a key the library asks nobody for a token: that is done here, through our own fetch.
    apiKey: NO_KEY,
    fetch: modelFetch(ref, {
      sign:
        token === null
          ? undefined
          : async ({ headers }, send) => {
              const found = await token(send);
              if (found instanceof Response) return found;
              headers.set('authorization', `Bearer ${found}`);
              return null;
            },
    }),
  });
  return { model: provider(ref.model) };
}
