import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuChoice } from '../../components/menu.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { type FavoriteOrder, inOrder } from './arrangement.ts'
import { FavoriteList } from './favorite-list.tsx'
import { useFavorites } from './use-favorites.ts'

/** localStorage key of this device's order. */
const KEY = 'carrel.favorites-order'

function storedOrder(): FavoriteOrder {
  try {
    return localStorage.getItem(KEY) === 'newest' ? 'newest' : 'own'
  } catch {
    return 'own'
  }
}

const orders = (): readonly { value: FavoriteOrder; label: string }[] => [
  { value: 'own', label: t('My own order') },
  { value: 'newest', label: t('Newest star first') },
]

export function FavoritesPanel() {
  const { favorites } = useFavorites()
  const [order, setOrder] = useState(storedOrder)
  if (favorites.length === 0) return null
  const choose = (next: FavoriteOrder) => {
    setOrder(next)
    // Without storage, the choice lasts until the page is closed.
    try {
      localStorage.setItem(KEY, next)
    } catch {}
  }
  return (
    <section aria-labelledby="favorites" className="mb-8">
      <div className="mb-2 flex items-center justify-between gap-4">
        <h2 id="favorites" className="eyebrow">
          {t('Favorites')}
        </h2>
        {favorites.length > 1 ? (
          <Menu
            label={t('Order of favorites')}
            trigger={
              <Button look="quiet" size="small">
                {orders().find(({ value }) => value === order)?.label}
                <ChevronDown aria-hidden />
              </Button>
            }
          >
            <MenuChoice value={order} onChange={choose} options={orders()} />
          </Menu>
        ) : null}
      </div>
      <div className="max-h-72 overflow-y-auto rounded-lg border border-line bg-surface p-1.5">
        <FavoriteList
          label={t('Favorites')}
          favorites={inOrder(favorites, order)}
          canMove={order === 'own'}
          showsLibrary
        />
      </div>
    </section>
  )
}
