import { lazy, Suspense } from 'react'

const OtherSignInMethods = lazy(() =>
  import('./other-sign-in-methods.tsx').then(({ OtherSignInMethods }) => ({ default: OtherSignInMethods })),
)

/** The sign-in methods besides passwords and mails. They are loaded after the page, because most people do without them. */
export function LateSignInMethods({ next }: { next: string }) {
  return (
    <Suspense fallback={null}>
      <OtherSignInMethods next={next} />
    </Suspense>
  )
}
