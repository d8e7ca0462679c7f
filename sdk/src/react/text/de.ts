import type { Messages } from './en.ts';

/** „30 Tage“ as in „in 30 Tagen“. */
const inDative = (duration: string): string => duration.replace(/(Tage|Monate|Jahre)$/, '$1n');

export const de: Messages = {
  loading: 'Wird geladen …',
  tryAgain: 'Erneut versuchen',
  cancel: 'Abbrechen',
  close: 'Schließen',
  copied: 'Kopiert',
  done: 'Fertig',
  never: 'Nie',

  keys: {
    title: 'API-Schlüssel',
    create: 'Schlüssel erstellen',
    emptyTitle: 'Noch keine API-Schlüssel',
    emptyText:
      'Mit einem API-Schlüssel weist sich Ihre Anwendung gegenüber der API aus. Erstellen Sie einen je Anwendung, damit Sie ihn ersetzen oder widerrufen können, ohne die anderen zu stören.',
    emptyReadOnly: 'Es gibt keine API-Schlüssel. Hier können keine erstellt werden.',
    showMore: 'Mehr anzeigen',
    inactive: (count) => `Inaktive Schlüssel (${count})`,
    lastUsed: 'Zuletzt benutzt',
    notUsed: 'Noch nicht benutzt',
    created: 'Erstellt',
    expires: 'Läuft ab',
    expired: 'Abgelaufen',
    starts: 'Gültig ab',
    limit: 'Limit',
    unlimited: 'Kein Limit',
    credits: 'Verbleibendes Guthaben',
    permissions: 'Berechtigungen',
    value: 'Maskierter Schlüssel',
    replaced: 'Durch einen neuen Schlüssel ersetzt',
    rename: 'Umbenennen',
    rotate: 'Erneuern',
    revoke: 'Widerrufen',
    renameKey: (name) => `${name} umbenennen`,
    renameTitle: (name) => `„${name}“ umbenennen`,
    rotateKey: (name) => `${name} erneuern`,
    revokeKey: (name) => `${name} widerrufen`,
  },

  states: {
    active: 'Aktiv',
    expiring: 'Läuft bald ab',
    expired: 'Abgelaufen',
    revoked: 'Widerrufen',
    notStarted: 'Noch nicht gültig',
  },

  form: {
    name: 'Name',
    nameHint: 'Wo Sie den Schlüssel verwenden, zum Beispiel „Abrechnung, Produktion“.',
    nameMissing: 'Geben Sie einen Namen ein.',
    nameTooLong: 'Verwenden Sie höchstens 256 Zeichen.',
    expiry: 'Läuft ab',
    expiryNever: 'Nie',
    expiryIn: (duration) => `In ${inDative(duration)}`,
    expiryOn: 'An einem Datum …',
    expiryDate: 'Ablaufdatum',
    expiryPast: 'Wählen Sie ein Datum in der Zukunft.',
    permissions: 'Berechtigungen',
    permissionsMissing: 'Wählen Sie mindestens eine Berechtigung.',
    save: 'Speichern',
    discardTitle: 'Eingaben verwerfen?',
    stay: 'Bleiben',
    discard: 'Verwerfen',
  },

  newValue: {
    created: 'Schlüssel erstellt',
    rotated: 'Schlüssel erneuert',
    copyNow: 'Kopieren Sie diesen Schlüssel jetzt',
    once: 'Er wird nur einmal angezeigt. Bewahren Sie ihn wie ein Passwort auf.',
    copyKey: 'Schlüssel kopieren',
    example: 'So verwenden Sie ihn',
    copyExample: 'Befehl kopieren',
    closeTitle: 'Der Schlüssel wird nicht noch einmal angezeigt',
    closeText: 'Kopieren Sie ihn zuerst. Wenn Sie ihn verlieren, erneuern Sie den Schlüssel.',
    closeAnyway: 'Trotzdem schließen',
  },

  rotation: {
    title: (name) => `„${name}“ erneuern`,
    text: 'Erstellt einen neuen Schlüssel mit denselben Einstellungen. Ersetzen Sie den alten in Ihrer Anwendung; danach wird er ungültig.',
    grace: 'Alter Schlüssel wird ungültig',
    immediately: 'Sofort',
    after: (duration) => `In ${inDative(duration)}`,
    immediatelyHint:
      'Anwendungen, die den alten Schlüssel noch benutzen, werden sofort abgewiesen.',
    afterHint: (time) => `Beide Schlüssel gelten bis ${time}.`,
    expiresBefore: (time) => `Der alte Schlüssel läuft schon vorher ab, am ${time}.`,
  },

  revocation: {
    title: (name) => `„${name}“ widerrufen?`,
    text: 'Anwendungen, die diesen Schlüssel benutzen, werden sofort abgewiesen. Das lässt sich nicht rückgängig machen.',
    confirm: 'Schlüssel widerrufen',
  },

  usage: {
    title: 'Nutzung',
    range: 'Zeitraum',
    day: 'Letzte 24 Stunden',
    week: 'Letzte 7 Tage',
    month: 'Letzte 30 Tage',
    key: 'Schlüssel',
    allKeys: 'Alle Schlüssel',
    accepted: 'Angenommen',
    rejected: 'Abgewiesen',
    highest: (count) => `Höchstwert: ${count}`,
    chart: 'Anfragen im Zeitverlauf',
    point: 'Anfragen im Zeitverlauf: Zeitpunkt',
    emptyTitle: 'Keine Anfragen in diesem Zeitraum',
    emptyText: 'Anfragen mit Ihren API-Schlüsseln erscheinen hier nach wenigen Sekunden.',
    showTable: 'Als Tabelle anzeigen',
    showChart: 'Als Diagramm anzeigen',
    time: 'Zeit',
  },

  limits: {
    title: 'Limits und Guthaben',
    used: (used, limit) => `${used} von ${limit} benutzt`,
    rate: (count, window) => `${count} pro ${window}`,
    left: (remaining, rate) => `Noch ${remaining} von ${rate}`,
    shared: 'Gilt für alle Schlüssel zusammen',
    resets: (time) => `Wird ${time} zurückgesetzt`,
    refill: (time) => `Wird am ${time} aufgefüllt`,
  },

  session: {
    expiredTitle: 'Ihre Sitzung ist beendet',
    expiredText:
      'Zu Ihrer Sicherheit kann diese Seite nur für begrenzte Zeit benutzt werden. Gehen Sie dorthin zurück, wo Sie sie geöffnet haben, und öffnen Sie sie erneut.',
    backTo: (name) => `Zurück zu ${name}`,
    noTokenTitle: 'Diese Seite braucht einen Link',
    noTokenText:
      'Öffnen Sie sie auf der Website, auf der Sie Ihr Konto verwalten. Nach dem Neuladen der Seite ist ein neuer Link nötig.',
    languageName: 'Deutsch',
    language: 'Sprache',
    pageTitle: 'API-Schlüssel und Nutzung',
  },

  errors: {
    unreachable:
      'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    busy: 'Zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es erneut.',
    unavailable: 'Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.',
    denied: 'Das ist hier nicht erlaubt.',
    origin:
      'Diese Website darf die API-Schlüssel nicht anzeigen. Ihr Betreiber muss sie zu den erlaubten Adressen hinzufügen.',
    notFound: 'Diesen Schlüssel gibt es nicht mehr.',
    keyLimit:
      'Sie haben die Höchstzahl aktiver Schlüssel erreicht. Widerrufen Sie einen, den Sie nicht mehr brauchen.',
    other: (message) => `Das hat nicht geklappt: ${message}`,
  },

  units: {
    second: ['Sekunde', 'Sekunden'],
    minute: ['Minute', 'Minuten'],
    hour: ['Stunde', 'Stunden'],
    day: ['Tag', 'Tage'],
    week: ['Woche', 'Wochen'],
    month: ['Monat', 'Monate'],
  },
};
