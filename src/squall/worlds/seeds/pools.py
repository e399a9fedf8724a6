"""Words that generated cells are made of. Which are here, and in which order, is part of what a seed means."""

from __future__ import annotations

FIRST = (
    "Ada Amir Ana Arne Aya Bela Bruno Cara Chen Clara Dara Diego Edda Elif Emil Esra Femi Finn Freya Gita Goran Hana "
    "Hugo Ida Ines Ivan Jana Jonas Juno Kai Kira Lars Leila Lina Luca Maja Malik Mara Mei Milo Nadia Nils Noor Olga "
    "Omar Petra Priya Rafa Rosa Ruben Samir Sara Sven Tara Theo Uma Vera Wanda Yara Yusuf Zoe Zora"
).split()
LAST = (
    "Abreu Acker Adler Baran Becker Berg Castro Costa Dahl Demir Engel Faber Farah Fuchs Garcia Gruber Haas Hansen "
    "Hirsch Ibarra Ito Jansen Jensen Kaya Keller Khan Koch Kowalski Lang Larsen Lindt Lopez Maier Mendes Moreau Nagy "
    "Novak Okafor Olsen Ortiz Park Patel Peters Quist Ramos Richter Rossi Sato Schmid Silva Singh Stone Tanaka Torres "
    "Ulrich Vargas Vogel Weber Winter Wolf Yilmaz Young Zeller Ziegler"
).split()
CITIES = (
    "Aarhus Antwerp Athens Austin Bergen Bilbao Bogota Boston Bristol Cairo Calgary Cork Denver Dublin Durban Ghent "
    "Graz Hamburg Helsinki Izmir Kyoto Lagos Leeds Lima Lisbon Lyon Malmo Milan Montreal Nairobi Nantes Osaka Oslo "
    "Perth Porto Prague Quito Riga Seattle Sofia Tampere Turin Utrecht Valencia Vienna Warsaw Zagreb Zurich"
).split()
COUNTRIES = (
    "Austria Belgium Brazil Canada Chile Croatia Denmark Egypt Finland France Germany Ghana Greece India Ireland Italy "
    "Japan Kenya Latvia Mexico Norway Peru Poland Portugal Spain Sweden Turkey Uruguay"
).split()
COUNTRY_CODES = "AT BE BR CA CH CL DE DK ES FI FR GB GR HR IE IN IT JP KE LV MX NL NO PE PL PT SE TR US UY".split()
CURRENCIES = "USD EUR GBP JPY CHF CAD AUD SEK NOK DKK PLN BRL MXN INR".split()
LANGUAGES = "en de fr es it pt nl sv da fi pl tr ja hi".split()
STREETS = "Ash Birch Bridge Canal Cedar Church Elm Garden Harbour High Hill Lake Linden Market Mill Oak Park".split()
STREET_ENDS = "Street Road Lane Avenue Square".split()
COLOURS = "amber black blue bronze coral green grey indigo ivory lilac olive orange pink red silver teal white".split()
THINGS = (
    "backpack blanket bottle chair clock cup desk jacket kettle lamp mirror mug notebook pen shelf sofa vase".split()
)
TRADES = "Analytics Coffee Design Energy Foods Freight Labs Logistics Media Motors Optics Software Tools Travel".split()
JOBS = "accountant analyst architect baker carpenter doctor editor engineer florist nurse pilot teacher".split()
WORDS = (
    "above account after again along answer before better between bright carry change clear close common corner early "
    "evening every field final first follow garden gentle grant ground happy harbour inside later letter light little "
    "longer market matter middle minute morning narrow never number office often open order other paper people plain "
    "point public quick quiet reach ready record river second short silver simple small south spring stone story "
    "summer table today travel under until useful valley visit water weather window winter without yellow"
).split()
