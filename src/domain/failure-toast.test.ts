import { expect, test } from 'vitest'
import { attachToaster, type Toast } from '../lib/ui/toast.ts'
import { showFailure } from './failure-toast.ts'

test('a failure toast says what to do', () => {
  showFailure({ code: '23514', message: 'One owner stays.', hint: 'Name another first.', details: '{"code": "x"}' })
  const shown: Toast[] = []
  attachToaster((toast) => shown.push(toast))()
  expect(shown).toEqual([{ title: 'One owner stays.', description: 'Name another first.', failed: true }])
})
