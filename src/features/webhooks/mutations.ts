import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

type Of = { library: string; webhook: string }
export type WebhookDraft = { url: string; description: string; events: string[] }

const invalidates = ({ library }: { library: string }) => [keys.webhooks(library)]

const Made = z.object({ id: z.string(), secret: z.string() })
/** @returns the id and the secret, which is shown only once. */
export const createWebhook = defineMutation({
  mutationFn: async ({ library, draft }: { library: string; draft: WebhookDraft }) =>
    Made.parse((await supabase.rpc('create_webhook', { library, ...draft }).throwOnError()).data),
  invalidates,
})

export const changeWebhook = defineMutation({
  mutationFn: ({ webhook, change }: Of & { change: Partial<WebhookDraft> | { is_active: boolean } }) =>
    supabase.from('webhooks').update(change).eq('id', webhook).throwOnError(),
  invalidates,
})

export const deleteWebhook = defineMutation({
  mutationFn: ({ webhook }: Of) => supabase.from('webhooks').delete().eq('id', webhook).throwOnError(),
  invalidates,
})

/** @returns the new secret, which is shown only once. */
export const replaceSecret = defineMutation({
  mutationFn: async ({ webhook }: Of) =>
    (await supabase.rpc('replace_webhook_secret', { webhook }).throwOnError()).data,
  invalidates,
})

export const testWebhook = defineMutation({
  mutationFn: ({ webhook }: Of) => supabase.rpc('test_webhook', { webhook }).throwOnError(),
  invalidates,
})

export const resendDelivery = defineMutation({
  mutationFn: ({ delivery }: Of & { delivery: number }) =>
    supabase.rpc('resend_webhook_delivery', { delivery }).throwOnError(),
  invalidates,
})
