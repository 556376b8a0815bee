import { useLoad } from '../load.ts'
import { ordersByStep, stepMax } from '../order-steps.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Show } from '../parts/states.tsx'
import { formatTimeOfDay, number } from '../parts/time.tsx'
import { useRefresh } from '../refresh.ts'
import { hrefOf } from '../router.ts'
import { hasScope } from '../session.ts'

export function OrdersOverTime() {
  const orders = useLoad('', ordersByStep, useRefresh(5_000))
  return (
    <Card
      id="orders"
      title={hasScope('orders:all') ? 'Orders' : 'Orders placed with your key'}
      aside={<a href={hrefOf('/orders')}>Show orders</a>}
    >
      <Show of={orders}>
        {({ times, counts }) => (
          <Chart
            label="Orders, last 24 hours"
            times={times}
            series={[{ name: 'placed', color: 'blue', values: counts }]}
            formatTime={formatTimeOfDay}
            formatCount={(count) => (count >= stepMax ? `${number(stepMax)} or more` : number(count))}
          />
        )}
      </Show>
    </Card>
  )
}
