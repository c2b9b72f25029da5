import { Webhook } from 'standardwebhooks'

/** Returns the headers of Standard Webhooks (https://www.standardwebhooks.com).
 *  @param secrets `whsec_…`, with one signature each. */
export function signedHeaders(
  secrets: readonly string[],
  messageId: string,
  body: string,
  now: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Carrel-Webhooks/1.0',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(messageId, now, body)).join(' '),
  }
}
