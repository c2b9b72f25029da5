import { createFileRoute, Outlet, redirect } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { nextPath } from '../lib/next-path.ts'

/** The screens before signing in. Whoever is signed in already goes on to where they were headed. */
export const Route = createFileRoute('/_visitor')({
  validateSearch: z.object({ next: z.catch(z.optional(z.string()), undefined) }),
  beforeLoad: ({ context, search }) => {
    const state = context.session.get()
    if (state.status === 'signed-out') return
    throw state.recovering ? redirect({ to: '/reset-password' }) : redirect({ href: nextPath(search.next) })
  },
  component: Outlet,
})
