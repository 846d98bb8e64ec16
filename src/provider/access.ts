/** Subscriptions that are logged in to, in place of a key. */
export const LOGIN_KINDS = ['copilot', 'chatgpt'] as const;
export type LoginKind = (typeof LOGIN_KINDS)[number];

/** A login that was saved: its kind, and the profile or provider it was saved for. Holds no secret. */
export interface Login {
  readonly kind: LoginKind;
  readonly owner: string;
}

/** How a cloud is reached by those who have no plain key for it. */
export type CloudAccess =
  | {
      readonly kind: 'bedrock';
      readonly region: string;
      /** null: `apiKey` is a Bedrock key. */
      readonly signing: {
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken: string | null;
      } | null;
    }
  | { readonly kind: 'azure'; readonly apiVersion: string | null }
  | {
      readonly kind: 'vertex';
      readonly project: string;
      readonly location: string;
      /** Of a service account; null: `apiKey` is a Vertex key. */
      readonly account: { readonly clientEmail: string; readonly privateKey: string } | null;
    };
