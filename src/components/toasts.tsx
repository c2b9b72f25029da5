import { Toaster } from 'sonner'
import { useAppearance } from '../lib/appearance.ts'

/** Where short messages appear, over every screen. */
export function Toasts() {
  const { theme } = useAppearance()
  return (
    <Toaster
      theme={theme}
      position="bottom-left"
      duration={7000}
      toastOptions={{
        style: {
          background: 'var(--surface)',
          color: 'var(--ink)',
          border: '1px solid var(--line)',
          boxShadow: 'var(--lift)',
          fontFamily: 'var(--font-sans)',
        },
        actionButtonStyle: { background: 'var(--accent)', color: 'var(--on-accent)' },
      }}
    />
  )
}
