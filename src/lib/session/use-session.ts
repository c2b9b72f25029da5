import { getRouteApi } from '@tanstack/react-router'
import { useStore } from '../store.ts'

const root = getRouteApi('__root__')

/** Returns the signed-in person's session. @throws {Error} on an unguarded screen. */
export function useSession() {
  const { session } = root.useRouteContext()
  const state = useStore(session)
  if (state.status === 'signed-out') throw new Error('This screen requires a signed-in user')
  return state.session
}
