call xmlReadMemory '<list kind="short"><item>one</item><item>two</item></list>' 58 null null 0 --then xmlDocGetRootElement '$1' --then xmlChildElementCount '$2'
call xmlReadMemory '<list kind="short"><item>one</item><item>two</item></list>' 58 null null 0 --then xmlDocGetRootElement '$1' --then xmlGetProp '$2' kind
call xmlReadMemory '<list kind="short"><item>one</item><item>two</item></list>' 58 null null 0 --then xmlDocGetRootElement '$1' --then xmlNodeGetContent '$2.children.next'
call xmlReadMemory '<list kind="short"><item>one</item><item>two</item></list>' 58 null null 0 --then xmlDocGetRootElement '$1' --then xmlStrdup '$2.children.name'
call xmlReaderForMemory '<list kind="short"><item>one</item><item>two</item></list>' 58 null null 0 --then xmlTextReaderRead '$1' --then xmlTextReaderAttributeCount '$1'
