import { looksRandom, type Rule } from './rule.ts';

/** Not in the middle of a longer word. */
const rule = (kind: string, anchors: readonly string[], body: RegExp, extra: Partial<Rule> = {}): Rule => ({
  kind,
  anchors,
  pattern: new RegExp(`(?<![A-Za-z0-9])${body.source}`, `${body.flags}y`),
  ...extra,
});

/**
 * Keys and tokens that carry a prefix of their issuer, by the forms which the issuers publish for secret
 * scanners. A length is given as a minimum where issuers have changed it before. None may look far ahead and
 * then fail: of a text made for it, that would take the square of its length.
 */
export const TOKEN_RULES: readonly Rule[] = [
  rule('anthropic-key', ['sk-ant-'], /sk-ant-[a-z0-9]{3,12}-[\w-]{20,}/),
  rule('openrouter-key', ['sk-or-'], /sk-or-(?:v\d+-)?[0-9A-Za-z]{32,}/),
  rule('openai-key', ['sk-'], /sk-(?:(?:proj|svcacct|admin)-[\w-]{20,}|(?=[A-Za-z]*\d)[A-Za-z0-9]{32,})/),
  rule('groq-key', ['gsk_'], /gsk_[A-Za-z0-9]{40,}/),
  rule('xai-key', ['xai-'], /xai-[A-Za-z0-9]{60,}/),
  rule('perplexity-key', ['pplx-'], /pplx-[A-Za-z0-9]{40,}/),
  rule('replicate-token', ['r8_'], /r8_[A-Za-z0-9]{37,}/),
  rule('huggingface-token', ['hf_'], /hf_(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])[A-Za-z0-9]{30,40}(?!\w)/),
  rule('aws-key-id', ['akia', 'asia', 'abia', 'acca'], /A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?!\w)/, {
    // The one that stands in AWS's own documentation.
    accept: (secret) => !secret.endsWith('EXAMPLE'),
  }),
  rule('google-api-key', ['aiza'], /AIza[\w-]{35}(?![\w-])/),
  rule('google-oauth', ['gocspx-'], /GOCSPX-[\w-]{28}(?![\w-])/),
  rule('google-oauth', ['ya29.'], /ya29\.[\w-]{30,}/),
  rule('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /gh[pousr]_[A-Za-z0-9]{36,}/),
  rule('github-token', ['github_pat_'], /github_pat_\w{60,}/),
  rule(
    'gitlab-token',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glagent-', 'glimt-'],
    /gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[\w-]{20,300}/,
    { accept: (secret) => /\d/.test(secret) },
  ),
  rule('npm-token', ['npm_'], /npm_[A-Za-z0-9]{36}(?!\w)/),
  rule('pypi-token', ['pypi-'], /pypi-AgE[\w-]{50,}/),
  rule('rubygems-token', ['rubygems_'], /rubygems_[0-9a-f]{48}/),
  rule('slack-token', ['xox'], /xox[abeoprs](?:\.xox[bp])?-(?=[A-Za-z-]{0,300}\d)[A-Za-z0-9-]{20,300}/),
  rule('slack-token', ['xapp-'], /xapp-\d-[A-Z0-9]+-\d+-[0-9a-f]{32,}/),
  rule(
    'stripe-key',
    ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    /[sr]k_(?:live|test)_[A-Za-z0-9]{20,}/,
  ),
  rule('stripe-key', ['whsec_'], /whsec_[A-Za-z0-9+/=]{32,}/, { accept: looksRandom }),
  rule('sendgrid-key', ['sg.'], /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/),
  rule('mailgun-key', ['key-'], /key-[0-9a-f]{32}(?!\w)/),
  rule('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], /do[opr]_v1_[0-9a-f]{64}/),
  rule('shopify-token', ['shpat_', 'shpss_', 'shpca_', 'shppa_'], /shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}/),
  rule('vault-token', ['hvs.', 'hvb.'], /hv[sb]\.[\w-]{24,}/, { accept: (secret) => /\d/.test(secret) }),
  rule('age-key', ['age-secret-key-1'], /AGE-SECRET-KEY-1[A-Z0-9]{58}/),
  rule('databricks-token', ['dapi'], /dapi[0-9a-f]{32}(?:-\d)?(?!\w)/),
  rule('linear-key', ['lin_api_'], /lin_api_[A-Za-z0-9]{40}/),
  rule('notion-token', ['ntn_'], /ntn_[A-Za-z0-9]{40,}/),
  rule('figma-token', ['figd_'], /figd_[\w-]{40}/),
  rule('postman-key', ['pmak-'], /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/),
  rule('jwt', ['eyj'], /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{10,}/),
];
