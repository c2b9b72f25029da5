import { expect, test } from 'vitest'
import { attachToaster, showToast, type Toast } from './toast.ts'

test('a toast waits for the toaster, and is shown once', () => {
  showToast({ title: 'first' })
  showToast({ title: 'second', description: 'with more to say', failed: true })
  const shown: Toast[] = []
  const detach = attachToaster((toast) => shown.push(toast))
  showToast({ title: 'third' })
  detach()
  showToast({ title: 'fourth' })
  expect(shown).toEqual([
    { title: 'first' },
    { title: 'second', description: 'with more to say', failed: true },
    { title: 'third' },
  ])
  attachToaster((toast) => shown.push(toast))()
  expect(shown.at(-1)).toEqual({ title: 'fourth' })
})
