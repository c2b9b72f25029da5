import { ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { useReadingOptions } from './reading-options.ts'

/** An image, fitted to the page or in its original size with scroll bars. */
export function ImageView({ file, title }: { file: Blob; title: string }) {
  const [address, setAddress] = useState<string>()
  const [large, setLarge] = useState(false)
  const { dimmed } = useReadingOptions()
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  if (!address) return null
  const Icon = large ? ZoomOut : ZoomIn
  return (
    <div className="grid gap-3">
      <Button size="small" look="quiet" className="justify-self-end" onClick={() => setLarge(!large)}>
        <Icon aria-hidden />
        {large ? t('Fit to the window') : t('Full size')}
      </Button>
      <div
        tabIndex={large ? 0 : undefined}
        className={large ? 'overflow-auto rounded-lg border border-line' : undefined}
      >
        <img
          src={address}
          alt={title}
          className={classNames(
            dimmed && 'dark:brightness-75',
            large ? 'max-w-none' : 'mx-auto max-h-[80dvh] max-w-full rounded-lg border border-line',
          )}
        />
      </div>
    </div>
  )
}
