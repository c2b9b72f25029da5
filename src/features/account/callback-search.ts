import * as z from 'zod/mini'

export const TOKEN_TYPES = ['email', 'signup', 'invite', 'magiclink', 'recovery', 'email_change'] as const

/** Query of the page that mailed links and sign-in providers return to. */
export const CallbackSearch = z.object({
  code: z.optional(z.coerce.string()),
  token_hash: z.optional(z.coerce.string()),
  type: z.optional(z.enum(TOKEN_TYPES)),
  next: z.optional(z.string()),
  error: z.optional(z.string()),
  error_code: z.optional(z.string()),
  message: z.optional(z.string()),
})
export type CallbackSearch = z.infer<typeof CallbackSearch>
