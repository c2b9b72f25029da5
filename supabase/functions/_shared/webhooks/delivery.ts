import { z } from 'zod'
import type { Problem } from '../errors.ts'

const Delivery = z.object({
  id: z.number(),
  /** The header `webhook-id`: the same for each attempt. */
  message_id: z.string(),
  type: z.string(),
  payload: z.object({ type: z.string(), timestamp: z.string(), data: z.record(z.string(), z.unknown()) }),
})
export type Delivery = z.infer<typeof Delivery>

/** What `take_webhook` gives out: a webhook, and what is due to it in its order. */
export const TakenWebhook = z.object({
  webhook: z.guid(),
  url: z.string(),
  /** The newest first. All are signed with, so that a receiver may know either. */
  secrets: z.array(z.string()).min(1),
  /** Null when another attempt ended it meanwhile. */
  deliveries: z.array(Delivery).nullable(),
})
export type TakenWebhook = z.infer<typeof TakenWebhook>

/** How an attempt ended: with an answer, or with why there is none. */
export type Attempt =
  | { readonly status: number; readonly answer: string; readonly problem: null }
  | { readonly status: null; readonly answer: null; readonly problem: Problem }
