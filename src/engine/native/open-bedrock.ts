import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { AwsV4Signer } from 'aws4fetch';
import type { CloudAccess } from '../../provider/access.ts';
import { requestBase } from '../../provider/base-url.ts';
import type { ModelRef } from '../engine.ts';
import { modelFetch, type Outgoing } from '../http/fetch.ts';
import { NO_KEY, type Opened } from './models.ts';

type Bedrock = Extract<CloudAccess, { kind: 'bedrock' }>;

/** The models that can cache a prompt; others refuse a request with a mark in it. */
const CACHING = /(?:^|\.)(?:anthropic\.claude|amazon\.nova)/;

/** Converse on Amazon Bedrock, with a Bedrock key or signed (Signature Version 4). */
export function openBedrock(ref: ModelRef, { region, signing }: Bedrock): Opened {
  const provider = createAmazonBedrock({
    region,
    baseURL: requestBase(ref.baseUrl, ref.api),
    apiKey: NO_KEY,
    fetch: modelFetch(ref, {
      // By ourselves: the library would sign before the user's fields are in the body.
      sign: signing === null ? undefined : (request) => sign(request, region, signing),
    }),
  });
  const cacheMark = { bedrock: { cachePoint: { type: 'default' } } };
  return { model: provider(ref.model), cacheMark: CACHING.test(ref.model) ? cacheMark : undefined };
}

async function sign(
  { url, headers, body }: Outgoing,
  region: string,
  { accessKeyId, secretAccessKey, sessionToken }: NonNullable<Bedrock['signing']>,
): Promise<null> {
  const signer = new AwsV4Signer({
    url,
    method: 'POST',
    headers: [...headers],
    body,
    region,
    service: 'bedrock',
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== null && { sessionToken }),
  });
  const signed = await signer.sign();
  for (const [name, value] of signed.headers) headers.set(name, value);
  return null;
}
