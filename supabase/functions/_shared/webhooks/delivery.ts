import { z } from 'zod'
import type { Problem } from '../errors.ts'

const Delivery = z.object({
  id: z.number(),
  /** The `webhook-id` header, the same for each attempt. */
  message_id: z.string(),
  type: z.string(),
  payload: z.object({ type: z.string(), timestamp: z.string(), data: z.record(z.string(), z.unknown()) }),
})
export type Delivery = z.infer<typeof Delivery>

/** What `take_webhook` returns: a webhook and its due deliveries, in order. */
export const ClaimedWebhook = z.object({
  webhook: z.guid(),
  url: z.string(),
  /** Newest first. Each message is signed with all of them, because a receiver may know any one. */
  secrets: z.array(z.string()).min(1),
  /** Null if another attempt has ended it. */
  deliveries: z.array(Delivery).nullable(),
})
export type ClaimedWebhook = z.infer<typeof ClaimedWebhook>

export type Attempt =
  | { readonly status: number; readonly answer: string; readonly problem: null }
  | { readonly status: null; readonly answer: null; readonly problem: Problem }
