import { ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { createCanvas, drawOnWhite, encodeCanvas } from '../../lib/canvas.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { isShownByBrowsers, openPicture } from '../../lib/pictures.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { useReadingOptions } from './reading-options.ts'

type ImageViewProps = { file: Blob; type: string; title: string }

export function ImageView({ file, type, title }: ImageViewProps) {
  const { addresses, isDamaged } = useAddresses(file, type)
  const [large, setLarge] = useState(false)
  const { dimmed } = useReadingOptions()
  if (isDamaged) return <Notice tone="error">{t('This picture is damaged. Download it to see what’s left.')}</Notice>
  if (addresses.length === 0) return <Skeleton className="h-80 w-full" />
  const Icon = large ? ZoomOut : ZoomIn
  return (
    <div className="grid gap-3">
      <Button icon={Icon} size="small" look="quiet" className="justify-self-end" onClick={() => setLarge(!large)}>
        {large ? t('Fit to the window') : t('Full size')}
      </Button>
      <div
        tabIndex={large ? 0 : undefined}
        className={large ? 'overflow-auto rounded-lg border border-line' : undefined}
      >
        {addresses.map((address, index) => (
          <img
            key={address}
            src={address}
            alt={addresses.length === 1 ? title : t('{title}, page {page}', { title, page: index + 1 })}
            className={classNames(
              dimmed && 'dark:brightness-75',
              large ? 'max-w-none' : 'mx-auto mb-3 max-h-[80dvh] max-w-full rounded-lg border border-line',
            )}
          />
        ))}
      </div>
    </div>
  )
}

/** Returns object URLs of the file, or of its pages as they are decoded. */
function useAddresses(file: Blob, type: string): { addresses: readonly string[]; isDamaged: boolean } {
  const [addresses, setAddresses] = useState<readonly string[]>([])
  const [isDamaged, setDamaged] = useState(false)
  useEffect(() => {
    const urls: string[] = []
    let isLeft = false
    const add = (blob: Blob) => {
      if (isLeft) return
      urls.push(URL.createObjectURL(blob))
      setAddresses([...urls])
    }
    if (isShownByBrowsers(type)) add(file)
    else drawPages(file, type, add, () => isLeft).catch(() => setDamaged(urls.length === 0))
    return () => {
      isLeft = true
      for (const address of urls) URL.revokeObjectURL(address)
      setAddresses([])
    }
  }, [file, type])
  return { addresses, isDamaged }
}

async function drawPages(file: Blob, type: string, add: (page: Blob) => void, isLeft: () => boolean): Promise<void> {
  const picture = await openPicture(file, type)
  for (let number = 1; number <= picture.pages && !isLeft(); number += 1) {
    const page = await picture.page(number)
    const canvas = createCanvas(page.width, page.height)
    drawOnWhite(canvas, page, { left: 0, width: page.width, height: page.height })
    page.close()
    add(await encodeCanvas(canvas, 'image/webp', 0.9))
  }
}
