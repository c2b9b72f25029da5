import { createFileRoute, redirect } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { needsSecondFactor } from '../features/account/second-factor.ts'
import { lenient } from '../lib/lenient.ts'
import { nextPath } from '../lib/session/next-path.ts'
import { VerifyScreen } from '../screens/account/verify-screen.tsx'

export const Route = createFileRoute('/verify')({
  validateSearch: z.object({
    email: lenient(z.string()),
    purpose: lenient(z.enum(['sign-up', 'sign-in', 'recovery'])),
    next: lenient(z.string()),
  }),
  beforeLoad: async ({ context, search }) => {
    const state = context.session.get()
    if (state.status === 'signed-out') {
      if (!search.email) throw redirect({ to: '/sign-in', search: { next: search.next } })
      return { factorId: undefined }
    }
    if (state.recovering) throw redirect({ to: '/reset-password' })
    const factor = state.session.user.factors?.find(({ status, factor_type }) => {
      return status === 'verified' && factor_type === 'totp'
    })
    if (!factor || !(await needsSecondFactor())) throw redirect({ href: nextPath(search.next) })
    return { factorId: factor.id }
  },
  component: VerifyScreen,
})
