import { useEffect } from 'react'
import { Toaster, toast } from 'sonner'
import { isRightToLeft } from '../lib/i18n/i18n.ts'
import { useAppearance } from '../lib/ui/appearance.ts'
import { attachToaster } from '../lib/ui/toast.ts'

const LASTS_MS = 7000

export function Toasts() {
  const { theme } = useAppearance()
  useEffect(
    () =>
      attachToaster(({ title, failed, ...rest }) => {
        if (failed) toast.error(title, rest)
        else toast(title, rest)
      }),
    [],
  )
  return (
    <Toaster
      theme={theme}
      dir={isRightToLeft() ? 'rtl' : 'ltr'}
      position={isRightToLeft() ? 'bottom-right' : 'bottom-left'}
      duration={LASTS_MS}
      // Above the selection bar.
      offset={{ bottom: 'var(--toasts-bottom, 1.5rem)' }}
      mobileOffset={{ bottom: 'var(--toasts-bottom-narrow, 1rem)' }}
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
