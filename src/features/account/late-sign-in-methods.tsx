import { lazy, Suspense } from 'react'

const OtherSignInMethods = lazy(() =>
  import('./other-sign-in-methods.tsx').then(({ OtherSignInMethods }) => ({ default: OtherSignInMethods })),
)

/** Loaded after the page, because most people use passwords or mails. */
export function LateSignInMethods({ next }: { next: string }) {
  return (
    <Suspense fallback={null}>
      <OtherSignInMethods next={next} />
    </Suspense>
  )
}
