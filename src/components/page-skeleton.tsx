import { useEffect, useState } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { Skeleton } from './skeleton.tsx'

/** Milliseconds until the delay is explained. */
const LONG = 8_000

export function PageSkeleton() {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), LONG)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label={t('Loading')} className="mx-auto w-full max-w-6xl px-4 py-10 sm:px-8">
      {slow ? (
        <p className="mb-6 text-ink-soft text-sm">
          {t('The server is slow to answer. Loading continues; nothing is lost, and you can leave this page.')}
        </p>
      ) : null}
      <Skeleton className="h-9 w-64" />
      <Skeleton className="mt-3 h-4 w-96 max-w-full" />
      <div className="mt-10 grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-5">
        {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
          <Skeleton key={key} className="h-44" />
        ))}
      </div>
    </div>
  )
}
