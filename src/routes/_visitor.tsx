import { createFileRoute, Outlet, redirect } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { lenient } from '../lib/lenient.ts'
import { nextPath } from '../lib/session/next-path.ts'

export const Route = createFileRoute('/_visitor')({
  validateSearch: z.object({ next: lenient(z.string()) }),
  beforeLoad: ({ context, search }) => {
    const state = context.session.get()
    if (state.status === 'signed-out') return
    throw state.recovering ? redirect({ to: '/reset-password' }) : redirect({ href: nextPath(search.next) })
  },
  component: Outlet,
})
