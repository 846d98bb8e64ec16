import { createAzure } from '@ai-sdk/azure';
import type { CloudAccess } from '../../provider/access.ts';
import { requestBase } from '../../provider/base-url.ts';
import type { ModelRef } from '../engine.ts';
import { modelFetch } from '../http/fetch.ts';
import { NO_KEY, type Opened, STATELESS } from './models.ts';

/** Versions with a date are of the older API, which has the deployment in the URL. */
const DATED = /^\d{4}-/;

/** OpenAI's protocols on Azure: the model is the name of a deployment, the key has a header of its own. */
export function openAzure(ref: ModelRef, { apiVersion }: Extract<CloudAccess, { kind: 'azure' }>): Opened {
  const provider = createAzure({
    baseURL: requestBase(ref.baseUrl, ref.api),
    apiKey: NO_KEY,
    ...(apiVersion !== null && { apiVersion, useDeploymentBasedUrls: DATED.test(apiVersion) }),
    fetch: modelFetch(ref),
  });
  if (ref.api !== 'openai-responses') return { model: provider.chat(ref.model) };
  return { model: provider.responses(ref.model), options: { azure: STATELESS, openai: STATELESS } };
}
