import { BarChart } from '../../components/bar-chart.tsx';
import { Card } from '../../components/card.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { TimeSeriesChart } from '../../components/time-series-chart.tsx';
import { HOUR, utcDayText, utcHourText } from '../../text/times.ts';

const START = Date.UTC(2030, 0, 1);
const TIMES = Array.from({ length: 72 }, (_, i) => START + i * HOUR);
const wave = (height: number, shift: number) =>
  TIMES.map((_, i) => Math.round(height * (1 + Math.sin((i + shift) / 6))));

export function GalleryCharts() {
  return (
    <Card title="Charts">
      <div className="flex flex-col gap-8">
        <TimeSeriesChart
          label="Validations by outcome"
          times={TIMES}
          series={[
            { id: 'valid', label: 'Valid', colour: 1, values: wave(420, 0) },
            { id: 'limited', label: 'Rate limited', colour: 2, values: wave(60, 9) },
            { id: 'refused', label: 'Refused', colour: 3, values: wave(30, 20) },
          ]}
          nameOf={(time) => `${utcDayText(time)} ${utcHourText(time)}`}
          tickOf={utcHourText}
        />
        <BarChart
          label="Top keys"
          rows={[
            { id: 'a', name: 'Billing, production', value: 48_120 },
            { id: 'b', name: 'Mobile app', value: 21_400, detail: '3% limited' },
            { id: 'c', name: 'Partner import', value: 912 },
          ]}
        />
        <Sparkline label="A wave" values={wave(10, 0)} />
      </div>
    </Card>
  );
}
