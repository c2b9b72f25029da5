import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { invoke } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

type Of = { library: string; domain: string }

/** `same_as` is the id of another domain of the library. */
export type Metadata = { url: string } | { xml: string } | { same_as: string }

const invalidates = ({ library }: { library: string }) => [keys.signInDomains(library)]

export const claimDomain = defineMutation({
  mutationFn: ({ library, domain }: { library: string; domain: string }) =>
    supabase.rpc('claim_sign_in_domain', { library, domain }).throwOnError(),
  invalidates,
})

export const verifyDomain = defineMutation({
  mutationFn: ({ domain }: Of) =>
    invoke('single-sign-on', { action: 'verify', domain }, z.object({ verified: z.literal(true) })),
  invalidates,
})

export const connectDomain = defineMutation({
  mutationFn: ({ domain, metadata }: Of & { metadata: Metadata }) =>
    invoke('single-sign-on', { action: 'connect', domain, metadata }, z.object({ connected: z.literal(true) })),
  invalidates,
})

export const changeDomain = defineMutation({
  mutationFn: ({
    domain,
    change,
  }: Of & {
    change: { company?: string; new_member_role?: 'reader' | 'editor' | null; is_required?: boolean }
  }) => supabase.from('sign_in_domains').update(change).eq('id', domain).throwOnError(),
  invalidates,
})

export const removeDomain = defineMutation({
  mutationFn: ({ domain }: Of) =>
    invoke('single-sign-on', { action: 'remove', domain }, z.object({ removed: z.literal(true) })),
  invalidates,
})
